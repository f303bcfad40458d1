"""The command line: flags, exit codes and words for people; it wires everything and nothing imports it."""
