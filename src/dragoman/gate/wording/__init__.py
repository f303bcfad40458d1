"""The tables of wording: which texts touch a topic or a hard stop, and what excuses them. `topics.py` asks them."""
