"""A capability by its name, or by an act and what has to be beside it: the rows of `rows`."""
