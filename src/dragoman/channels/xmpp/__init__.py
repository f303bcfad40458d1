"""One XMPP account: a client of its own server, on slixmpp."""
