"""The hub as one more platform: its client and the role key."""
