"""Dragoman: the runtime that lets an agent deal with outsiders under an owner's bounded authority."""

__version__ = "0.1.0"
