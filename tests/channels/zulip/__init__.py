"""Zulip, on a loopback server of our own (`server.py`)."""
