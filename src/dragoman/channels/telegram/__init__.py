"""Telegram: one bot account on the Bot API."""
