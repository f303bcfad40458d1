"""The laws of an adapter's facts: nothing that a participant can send raises or opens. A part of `contract.py`.

1. What asks is seen, what does not ask is not; text, missing values and malformed values never ask.
2. Identities are exact, byte for byte; a copy is known as one, our own message as ours.
3. Whatever the JSON: no error, and every fact of the right type.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.gate.event import AuthorKind, Event
from dragoman.identity import well_formed
from dragoman.testing.adapter_world import TEXT, Payloads
from dragoman.testing.judged import judged
from dragoman.testing.payloads import JUNK, Place, changed, places, texts_replaced, variants
from dragoman.words import Outcome, Reason


class FactsLaws(ABC):
    """See the top of this file."""

    examples: int = 100
    """How many payloads each of the random laws tries."""

    @abstractmethod
    def payloads(self) -> Payloads:
        """Events as the platform sends them."""

    def test_a_request_is_one_and_the_rest_is_none(self) -> None:
        """The mention is seen, its absence too: with the same policy one is answered and the other is silent."""
        given_ = self.payloads()
        asking, unasked = given_.read(given_.asking), given_.read(given_.unasked)

        assert judged(asking).outcome is Outcome.RESPOND, f"the message that asks: {judged(asking).reason}"
        assert judged(unasked).reason is Reason.NOT_REQUESTED, (
            f"the message that does not ask: {judged(unasked).reason}"
        )
        assert (asking.body, unasked.body) == (TEXT, TEXT)
        assert (asking.target, asking.author) == (given_.target, given_.author)
        assert asking.author_kind is AuthorKind.HUMAN

    def test_a_message_is_decided_once(self) -> None:
        """A copy has the same dedupe key, another message another one."""
        given_ = self.payloads()
        first, copy, other = (given_.read(raw) for raw in (given_.asking, given_.asking, given_.unasked))

        assert first.dedupe_key == copy.dedupe_key, "a copy would be answered again"
        assert first.dedupe_key != other.dedupe_key, "another message would be taken for a copy"

    def test_our_own_message_is_an_echo(self) -> None:
        """What we said ourselves is never a request."""
        given_ = self.payloads()
        if given_.echo is None:
            pytest.skip("the platform does not send our own messages back")

        assert judged(given_.read(given_.echo)).reason is Reason.SELF_ECHO

    def test_no_text_asks(self) -> None:
        """Whatever a participant types, names and commands included, it is no mention."""
        given_ = self.payloads()
        if given_.text_may_ask:
            pytest.skip("the platform has no marks: its facts read the text")
        calls = st.sampled_from(["", *given_.names, *(f"@{name}" for name in given_.names), "@everyone", "/start"])
        typed = st.builds(lambda *parts: " ".join(parts), calls, st.text(max_size=50), calls)

        @self._tried
        @given(typed)
        def law(text: str) -> None:
            event = self._read(given_, texts_replaced(given_.unasked, TEXT, text))
            assert judged(event).outcome is not Outcome.RESPOND, f"`{text}` asks by text alone"

        law()

    def test_nothing_that_is_missing_is_a_yes(self) -> None:
        """Without any one key, or with null in its place, what was no request is none."""
        given_ = self.payloads()
        for place in places(given_.unasked):
            for raw in (changed(given_.unasked, place), changed(given_.unasked, place, None)):
                admission = judged(self._read(given_, raw))
                assert admission.outcome is not Outcome.RESPOND, f"without {place} it asks: {admission.reason}"

    def test_no_payload_raises(self) -> None:
        """Any JSON object gives an event of the right types, at an exact target or at none, that asks for nothing."""
        given_ = self.payloads()

        @self._tried
        @given(st.dictionaries(st.text(max_size=10) | st.sampled_from(sorted(given_.asking)), JUNK, max_size=8))
        def law(raw: dict[str, Any]) -> None:
            assert judged(self._read(given_, raw)).outcome is not Outcome.RESPOND

        law()

    def test_nothing_malformed_is_answered(self) -> None:
        """A value of the wrong type anywhere in a request raises nothing; what names it malformed is not answered."""
        given_ = self.payloads()
        every = places(given_.asking)

        @self._tried
        @given(st.sampled_from(every), JUNK)
        def law(place: Place, junk: Any) -> None:
            event = self._read(given_, changed(given_.asking, place, junk))
            if event.malformed or not event.target.known:
                assert judged(event).outcome is not Outcome.RESPOND, f"{junk!r} at {place} is malformed, and answered"

        law()

    def test_identities_are_exact(self) -> None:
        """A target or an author whose id only looks like another's is another, or nobody."""
        given_ = self.payloads()
        ids = {"target": given_.target.channel, "author": given_.author.id}
        inside = [of for of, id in ids.items() if texts_replaced(given_.asking, id, "") != given_.asking]
        if not inside:
            pytest.skip("neither id stands in the payload as it is")
        for of in inside:
            for other in variants(ids[of]):
                event = self._read(given_, texts_replaced(given_.asking, ids[of], other))
                found = event.target.channel if of == "target" else event.author.id
                assert found in ("", other), f"`{other}` was read as the {of} `{found}`"

    def _read(self, given_: Payloads, raw: Any) -> Event:
        try:
            event = given_.read(raw)
        except Exception as error:
            raise AssertionError(f"reading raised {error!r} for {raw!r}") from error
        try:
            msgspec.msgpack.decode(msgspec.msgpack.encode(event), type=Event)
        except (msgspec.ValidationError, UnicodeEncodeError, TypeError, OverflowError) as error:
            raise AssertionError(f"a fact has the wrong type: {error}; of {raw!r}") from error
        target = event.target
        exact = well_formed(target.platform) and well_formed(target.workspace) and well_formed(target.channel)
        assert exact or not target.known, f"`{target}` is no exact target"
        return event

    @property
    def _tried(self) -> settings:
        checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
        return settings(
            max_examples=self.examples,
            deadline=None,
            database=None,
            report_multiple_bugs=False,
            suppress_health_check=checks,
        )
