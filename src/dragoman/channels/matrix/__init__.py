"""Matrix: `facts` (pure) says what an event states, `adapter` (needs `dragoman[matrix]`) speaks to the homeserver."""
