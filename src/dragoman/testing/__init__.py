"""For the tests of whoever embeds the gate, or writes an adapter. Needs pytest; the contract needs hypothesis too.

    gate_recorder      a fixture of pytest's own (`plugin.py`): a gate over your policy, and everything it did
    AdapterContract    the laws of the `Channel` port as tests; subclass it for your adapter (`contract.py`)

Install with `pip install 'dragoman[testing]'`. Nothing in the house imports this, and nothing here is loaded before it
is asked for.
"""

__all__ = (
    "AdapterContract",
    "AdapterWorld",
    "GateRecorder",
    "HandClock",
    "Payloads",
    "RecordingChannel",
    "Shown",
    "Trouble",
    "counting_ids",
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dragoman.testing.adapter_world import AdapterWorld, Payloads, Shown, Trouble
    from dragoman.testing.by_hand import HandClock, counting_ids
    from dragoman.testing.contract import AdapterContract
    from dragoman.testing.recorder import GateRecorder
    from dragoman.testing.recording_channel import RecordingChannel
else:
    _PLACES = {
        "AdapterContract": "contract",
        "AdapterWorld": "adapter_world",
        "GateRecorder": "recorder",
        "HandClock": "by_hand",
        "Payloads": "adapter_world",
        "RecordingChannel": "recording_channel",
        "Shown": "adapter_world",
        "Trouble": "adapter_world",
        "counting_ids": "by_hand",
    }

    def __getattr__(name):
        if name not in _PLACES:
            raise AttributeError(f"module `dragoman.testing` has no attribute `{name}`")
        from importlib import import_module

        return getattr(import_module(f"dragoman.testing.{_PLACES[name]}"), name)
