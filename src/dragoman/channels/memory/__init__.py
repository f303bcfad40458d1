"""The fake platform that ships with the house: `facts` reads its JSON events, `adapter` records what would be sent."""
