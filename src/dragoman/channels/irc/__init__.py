"""One IRC account: a client of a network with services, on irctokens and ircstates."""
