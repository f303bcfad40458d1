"""XMPP: a real Prosody, started once per module by `prosody.py`."""
