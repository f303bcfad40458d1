"""Bots that embed the gate cannot speak past it: `channels/wall.py` and the fences of three SDKs."""
