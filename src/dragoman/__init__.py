"""Dragoman: the runtime that lets an agent deal with outsiders under an owner's bounded authority.

`from dragoman import Gate, load_policy, open_state` embeds the gate in a bot of your own. The names below are loaded
when one of them is first asked for, so that `import dragoman` costs nothing; type checkers see them as they are.
"""

__version__ = "0.1.0"
__all__ = ("Delivery", "Gate", "PolicyWatch", "State", "Turn", "load_policy", "open_state")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dragoman.opening import Delivery, Gate, PolicyWatch, State, Turn, load_policy, open_state
else:

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module `dragoman` has no attribute `{name}`")
        import dragoman.opening as opening

        found = globals()[name] = getattr(opening, name)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
