"""One connection to our own XMPP server, on slixmpp: signs in, hands over stanzas in order, asks. It decides nothing.

1. Off the loopback nothing is sent before the stream is encrypted and the certificate verified; slixmpp then offers no
   password in the clear.
2. One connection is one slixmpp client, made anew each time: slixmpp reconnects and repeats nothing by itself.
3. It authorises nobody's subscription, joins nothing and answers nothing but what RFC 6120 asks of every client.
4. Stream management (XEP-0198) counts what the server took; what came in is confirmed only when the reader says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement

from dragoman.channels.xmpp import stanza as x
from dragoman.errors import DragomanError

try:
    import slixmpp
    from slixmpp.exceptions import IqError, IqTimeout
    from slixmpp.plugins.xep_0198.stanza import Ack, RequestAck
    from slixmpp.xmlstream.handler import Callback
    from slixmpp.xmlstream.matcher import MatchXPath
except ImportError as missing:
    raise DragomanError(
        "extra_missing", str(missing), where="xmpp", fix="install it with `pip install 'dragoman[xmpp]'`"
    ) from missing

_ACKING: Final = "Stream Management Request Ack"
MAM: Final = "urn:xmpp:mam:2"
_SM: Final = "urn:xmpp:sm:3"
_RSM: Final = "http://jabber.org/protocol/rsm"
_DISCO: Final = "http://jabber.org/protocol/disco#info"
_FORM: Final = "jabber:x:data"
PAGE: Final = 100
PAGES: Final = 10


Kept = tuple[str, Element]
"""One message of an archive: its id there, and the forwarded message with its stamp."""


class Unsent(Exception):
    """There was no stream: no byte of the stanza left."""


class ErrorAnswer(Exception):
    """The server answered a question with an error."""


class Connection:
    """One stream of the account `jid`.

    Args:
        jid: our bare JID.
        password: its password.
        address: host and port instead of the domain's SRV records.
        in_the_clear: whether the stream may be unencrypted (loopback only).
        ca_file: certificates to verify with instead of the system's.
        timeout: seconds that a question may take.
    """

    def __init__(
        self,
        jid: str,
        password: str,
        *,
        address: tuple[str, int] | None,
        in_the_clear: bool,
        ca_file: Path | None = None,
        timeout: float = 15.0,
    ) -> None:
        logging.getLogger("slixmpp").addHandler(logging.NullHandler())
        logging.getLogger("slixmpp").propagate = False
        self._jid, self._address, self.timeout = jid, address, timeout
        settings = {"feature_mechanisms": {"unencrypted_scram": in_the_clear}}
        client = slixmpp.ClientXMPP(jid, password, plugin_config=settings)
        client.enable_plaintext = in_the_clear
        client.enable_starttls = client.enable_direct_tls = not in_the_clear
        client.ca_certs = ca_file
        client.auto_authorize, client.auto_subscribe = None, False
        client.register_plugin("xep_0198", {"allow_resume": False})
        self._client: Any = client
        self._inbox: asyncio.Queue[Element | int | None] = asyncio.Queue()
        self._acked: dict[str, asyncio.Future[None]] = {}
        self._searches: dict[str, tuple[str, list[Kept]]] = {}
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._listen()

    def _listen(self) -> None:
        client = self._client
        client.remove_handler(_ACKING)
        for name in ("message", "presence"):
            path = f"{{{x.CLIENT}}}{name}"
            client.register_handler(Callback(f"dragoman {name}", MatchXPath(path), self._came))
        asked = MatchXPath(RequestAck.tag_name())
        client.register_handler(Callback("dragoman ack", asked, self._ack_asked, instream=True))
        client.add_event_handler("session_start", lambda _: self._settle(None))
        client.add_event_handler("failed_all_auth", lambda _: self._settle("channel_refused"))
        client.add_event_handler("no_auth", lambda _: self._settle("channel_refused"))
        # every address was tried, with TLS at once and with STARTTLS: slixmpp would wait and begin again
        client.add_event_handler("reconnect_delay", lambda _: self._settle("channel_unreachable"))
        client.add_event_handler("disconnected", lambda _: self._ended())
        client.add_event_handler("stanza_acked", self._taken)

    async def start(self) -> None:
        """Connect and sign in.

        Raises:
            DragomanError: `channel_refused` if the credentials are not accepted, `channel_unreachable` if nobody
                answered in time, or not with the encryption that we need.
        """
        self._client.connect(*(self._address or ()))
        try:
            async with asyncio.timeout(self.timeout):
                await self._started
        except TimeoutError:
            raise DragomanError("channel_unreachable", "no session in time", where="xmpp") from None
        finally:
            if not self._started.done() or self._started.exception() is not None:
                await self.close()

    async def close(self) -> None:
        """End the stream."""
        client = self._client
        client.cancel_connection_attempt()
        if client.transport is not None:
            await client.disconnect(wait=1.0, ignore_send_queue=True)
        self._ended()
        if client._run_out_filters is not None:
            client._run_out_filters.cancel()

    @property
    def up(self) -> bool:
        """Whether the stream stands."""
        return self._started.done() and self._client.transport is not None

    @property
    def own(self) -> str:
        """Our full JID on this stream."""
        return str(self._client.boundjid.full)

    @property
    def counts(self) -> bool:
        """Whether the server says what it took (XEP-0198)."""
        return "stream_management" in self._client.features

    async def stanzas(self) -> AsyncIterator[Element | int]:
        """Messages and presences in the order they came, until the stream ends. A number is a count that the server
        asked to be confirmed: give it to `confirm` when all before it is kept."""
        while (came := await self._inbox.get()) is not None:
            yield came

    def confirm(self, handled: int) -> None:
        """Tell the server that so many stanzas are kept."""
        if self.up:
            ack = Ack(self._client)
            ack["h"] = handled
            self._client.send_raw(str(ack))

    def put(self, element: Element) -> asyncio.Future[None]:
        """Send one message or presence; done when the server says that it took it.

        Raises:
            Unsent: there is no stream.
        """
        if not self.up:
            raise Unsent
        make = slixmpp.Message if x.is_message(element) else slixmpp.Presence
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if id := element.get("id"):
            self._acked[id] = taken
        self._client.send(make(self._client, xml=element))
        if self.counts:
            self._client.send(f"<r xmlns='{_SM}'/>")  # slixmpp's own request leaves before the stanza that it counts
        return taken

    async def ask(self, to: str, kind: str, payload: Element | None) -> Element:
        """One question (`get` or `set`), and its answer.

        Raises:
            ErrorAnswer: the answer is an error.
            DragomanError: `channel_unreachable` when there is no answer in time.
        """
        if not self.up:
            raise DragomanError("channel_unreachable", "no stream", where="xmpp")
        iq = self._client.Iq()
        iq["type"], iq["to"] = kind, to
        if payload is not None:
            iq.xml.append(payload)
        try:
            answer = await iq.send(timeout=self.timeout)
        except IqError as error:
            raise ErrorAnswer(error.condition) from error
        except IqTimeout as error:
            raise DragomanError("channel_unreachable", "no answer in time", where="xmpp") from error
        found: Element = answer.xml
        return found

    async def features(self, entity: str) -> frozenset[str]:
        """What an entity announces (XEP-0030); nothing if it does not say.

        Raises:
            DragomanError: `channel_unreachable`.
        """
        try:
            answer = await self.ask(entity, "get", Element(f"{{{_DISCO}}}query"))
        except ErrorAnswer:
            return frozenset()
        query = x.first(answer, _DISCO, "query")
        listed = () if query is None else x.named(query, _DISCO, "feature")
        return frozenset(each.get("var", "") for each in listed)

    async def archived(self, archive: str, since: str, peer: str = "") -> tuple[list[Kept], bool]:
        """What an archive (XEP-0313) keeps since a time, oldest first, and whether that is all.

        Raises:
            ErrorAnswer: there is no archive, or it is not ours to read.
            DragomanError: `channel_unreachable`.
        """
        kept: list[Kept] = []
        after, complete = "", False
        for _ in range(PAGES):
            query_id = str(self._client.new_id())
            self._searches[query_id] = (archive, kept)
            try:
                answer = await self.ask(archive, "set", _query(query_id, since, peer, after))
            finally:
                del self._searches[query_id]
            end = x.first(answer, MAM, "fin")
            complete = end is not None and end.get("complete") == "true"
            if complete or end is None or not kept or kept[-1][0] == after:
                break
            after = kept[-1][0]
        return kept, complete

    # --- what slixmpp tells ------------------------------------------------------------------------------------------

    def _came(self, stanza: Any) -> None:
        element: Element = stanza.xml
        result = x.first(element, MAM, "result")
        if result is None:
            self._inbox.put_nowait(element)
            return
        archive, kept = self._searches.get(result.get("queryid", ""), ("", []))
        forwarded = x.first(result, x.FORWARD, "forwarded")
        inner = x.first(forwarded, x.CLIENT, "message")
        if forwarded is None or inner is None or not archive or element.get("from", self._jid) != archive:
            return
        inner.extend(x.named(forwarded, x.DELAY, "delay"))
        kept.append((result.get("id", ""), inner))

    def _ack_asked(self, _: object) -> None:
        self._inbox.put_nowait(int(self._client.plugin["xep_0198"].handled))

    def _taken(self, stanza: Any) -> None:
        taken = self._acked.pop(stanza.xml.get("id", ""), None)
        if taken is not None and not taken.done():
            taken.set_result(None)

    def _settle(self, failure: str | None) -> None:
        if self._started.done():
            return
        if failure is None:
            self._started.set_result(None)
        else:
            fix = "check JID and password file" if failure == "channel_refused" else "check host, port and certificate"
            self._started.set_exception(DragomanError(failure, "no session", where="xmpp", fix=fix))

    def _ended(self) -> None:
        self._settle("channel_unreachable")
        for taken in self._acked.values():
            taken.cancel()
        self._acked.clear()
        self._inbox.put_nowait(None)


def prepared(jid: str) -> bool:
    """Whether a JID is written as its own server would write it; another spelling would reach the same person."""
    try:
        return str(slixmpp.JID(jid)) == jid
    except slixmpp.InvalidJID:
        return False


def _query(query_id: str, since: str, peer: str, after: str) -> Element:
    """A question to an archive, one page long."""
    query = Element(f"{{{MAM}}}query", {"queryid": query_id})
    form = SubElement(query, f"{{{_FORM}}}x", {"type": "submit"})
    fields = {"FORM_TYPE": MAM, "start": since, "with": peer}
    for name, value in fields.items():
        if value:
            field = SubElement(form, f"{{{_FORM}}}field", {"var": name})
            SubElement(field, f"{{{_FORM}}}value").text = value
    page = SubElement(query, f"{{{_RSM}}}set")
    SubElement(page, f"{{{_RSM}}}max").text = str(PAGE)
    if after:
        SubElement(page, f"{{{_RSM}}}after").text = after
    return query
