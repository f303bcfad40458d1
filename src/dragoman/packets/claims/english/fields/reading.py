"""Whether English prose claims one of the seven capabilities that no packet has (seed, support boundary; spec 3 §5.4).

For each clause of each sentence:
1. Which field is spoken of? A name of the capability, or an act with its object; the object may be known from an
   earlier clause or from the question before.
2. Is it only mentioned? Reports of words, questions, tasks, wishes, lists of wordings and suppositions assert nothing.
3. Whose is it? See `bearers`. What nobody is named for counts only in the voice of one who offers something.
4. Is it denied, in its clause or by a later one? Two denials that bind each other are none.
Where two readings are left, the sentence passes.
"""

from __future__ import annotations

from dragoman.packets.claims.english.answers import answered
from dragoman.packets.claims.english.capabilities.clauses import SENTENCE, without_quoted
from dragoman.packets.claims.english.fields.bearers import PACKET, subject
from dragoman.packets.claims.english.fields.clauses import CLAUSES, Clause, clauses_of, words_of
from dragoman.packets.claims.english.fields.denials import unbound
from dragoman.packets.claims.english.fields.frames import mentioned, rhetorical
from dragoman.packets.claims.english.fields.ours import claimed
from dragoman.packets.claims.english.fields.pairs import mirrored, settles
from dragoman.packets.claims.english.fields.scene import Here, Scene
from dragoman.packets.claims.english.fields.tags import Sign, Signs
from dragoman.packets.claims.english.fields.voice import offered


def says(text: str) -> bool:
    """Whether one of the sentences of an English text asserts a capability."""
    scene = Scene()
    text = without_quoted(text)
    return any(_said(sentence, scene) for sentence in SENTENCE.split(text) if sentence.strip())


def _said(sentence: str, scene: Scene) -> bool:
    if sentence.rstrip(" )”\"'").endswith("?"):
        scene.asked = sentence
        return rhetorical(sentence) and _asserted(sentence, scene)
    asked, scene.asked = scene.asked, ""
    if asked:
        both = answered(asked, sentence)
        if both and _asserted(both, scene):
            return True
        if settles(asked, sentence):
            return True
    return _asserted(sentence, scene)


def _asserted(sentence: str, scene: Scene) -> bool:
    words = words_of(sentence)
    clauses = list(clauses_of(words))
    return any(_read(clauses[start : start + CLAUSES], scene) for start in range(0, len(clauses), CLAUSES))


def _told_of(here: Here) -> Signs:
    """Who is spoken of from here on: "it" is who was spoken of before, and at the start the packet."""
    who = subject(here.clause)
    return (here.near or here.subject or PACKET) if Sign.IT in who else who or here.subject


def _read(clauses: list[Clause], scene: Scene) -> bool:
    if mentioned(clauses):
        return False
    here = Here(unbound(clauses), scene.subject)
    if mirrored(here) or offered(here):
        return True
    for number in range(len(clauses)):
        here.number = number
        if claimed(here):
            return True
        here.roles |= here.clause.roles
        here.subject = _told_of(here)
        here.near = frozenset({Sign.UAIX, Sign.PACKET}) & here.clause.signs or here.near
    scene.subject = here.subject
    return False
