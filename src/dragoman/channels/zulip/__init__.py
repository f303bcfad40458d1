"""Zulip: `facts` (pure) says what an event states, `adapter` (needs `dragoman[zulip]`) speaks to the server."""
