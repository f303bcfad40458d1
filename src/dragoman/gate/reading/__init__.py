"""How a text states something that can be checked, and whether a fact of the record states the same. Pure."""
