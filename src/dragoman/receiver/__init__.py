"""The receiver: the daemon with one life for every channel."""
