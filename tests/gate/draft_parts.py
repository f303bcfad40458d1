"""Drafts with one text in one place: every place of every kind of part, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from dragoman.gate.parts import Button, Card, Field, File, Link, Parts, Poll

PLAIN: Final = "Good morning."
SITE: Final = "https://desk.example.com/"
NOTE: Final = "Please see below.\n"


def _file(**changed: object) -> Parts:
    fields: dict[str, object] = {"name": "note.txt", "content": NOTE.encode(), "media_type": "text/plain"}
    return Parts(files=(File(**(fields | changed)),))  # type: ignore[arg-type]


def _card(**changed: object) -> Parts:
    return Parts(cards=(Card(title="Note"), Card(**({"title": "Second"} | changed))))  # type: ignore[arg-type]


PLACES: Final[Mapping[str, Callable[[str], Parts]]] = {
    "subject": lambda text: Parts(subject=text),
    "link[0].title": lambda text: Parts(links=(Link(target=SITE, title=text),)),
    "link[0].target": lambda text: Parts(links=(Link(target=SITE + text, title="Site"),)),
    "card[1].title": lambda text: _card(title=text),
    "card[1].text": lambda text: _card(text=text),
    "card[1].field[0].name": lambda text: _card(fields=(Field(name=text, value="yes"),)),
    "card[1].field[1].value": lambda text: _card(
        fields=(Field(name="Open", value="yes"), Field(name="What", value=text))
    ),
    "card[1].button[0].label": lambda text: _card(buttons=(Button(label=text),)),
    "card[1].button[0].link": lambda text: _card(buttons=(Button(label="Open", link=SITE + text),)),
    "poll[0].question": lambda text: Parts(polls=(Poll(question=text, options=("yes", "no")),)),
    "poll[0].option[1]": lambda text: Parts(polls=(Poll(question="Open?", options=("yes", text)),)),
    "button[0].label": lambda text: Parts(buttons=(Button(label=text),)),
    "button[0].link": lambda text: Parts(buttons=(Button(label="Open", link=SITE + text),)),
    "file[0].name": lambda text: _file(name=text),
    "file[0].caption": lambda text: _file(caption=text),
    "file[0].alt": lambda text: _file(alt=text),
    "file[0].content": lambda text: _file(content=f"{NOTE}{text}\n".encode()),
}
"""Place → the parts in which `text` stands there."""
PROSE: Final = tuple(place for place in PLACES if not place.endswith(("target", "link")))
"""Places that are read as prose: rules for topics, stops and claims hold there too."""
PICTURE: Final = File(name="picture.png", content=b"\x89PNG\r\n\x1a\n\x00\x01", media_type="image/png")
"""A file that nobody can read as text."""
