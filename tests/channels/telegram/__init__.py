"""Telegram: facts from recorded shapes, the account on the test server of npm, the story and the receiver on it."""
