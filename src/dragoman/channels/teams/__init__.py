"""Microsoft Teams: `facts` (pure) says what an activity states, `account` speaks by Microsoft's own SDK."""
