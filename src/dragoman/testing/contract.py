"""The laws of the `Channel` port, as tests: whoever writes an adapter subclasses this and sees whether it keeps them.

    class TestMyAdapter(AdapterContract):
        def world(self): ...          # a connected account: an async context manager of an `AdapterWorld`
        def payloads(self): ...       # events as the platform sends them: a `Payloads`

`channel_laws.py` says what is asked of the channel, `facts_laws.py` what is asked of its facts; each can be subclassed
alone. How to write an adapter: `docs/how-to/write-an-adapter.md`.
"""

from __future__ import annotations

from dragoman.testing.channel_laws import ChannelLaws
from dragoman.testing.facts_laws import FactsLaws


class AdapterContract(ChannelLaws, FactsLaws):
    """Every law there is."""
