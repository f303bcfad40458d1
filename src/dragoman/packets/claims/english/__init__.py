"""The two readings of English; what either of them finds is found."""
