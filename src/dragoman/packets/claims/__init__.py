"""Does a text claim one of the seven capabilities that no packet has? `claimed.claims` answers (spec 3 §5.4).

Two grammars of English (`english.capabilities`, by what has to stand beside what; `english.fields`, by acts and
objects), one of Chinese (`chinese`), and a table of weighed words (`weights`). Pure; nothing is learned while running.
"""
