"""Mattermost: `facts` (pure) says what an event states, `adapter` (needs `dragoman[mattermost]`) speaks there."""
