"""Slack: `facts` (pure) says what an event states, `adapter` (needs `dragoman[slack]`) speaks to the workspace."""
