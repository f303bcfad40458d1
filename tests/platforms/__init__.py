"""The same story on every platform: `stories.py` tells it, `world.py` says what a platform must be able to play."""
