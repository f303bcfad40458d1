"""Whose word proves an author: a table of `Authentication-Results`, as servers write them and as forgers do."""

from __future__ import annotations

from typing import Final

import pytest

from dragoman.channels.email.proof import proven
from dragoman.words import Fact

PASS: Final = "mx.desk.example; dmarc=pass header.from=shop.example"
TABLE: Final = [
    ("DMARC", [PASS], True),
    ("as OpenDMARC writes it", ["mx.desk.example; dmarc=pass (p=none dis=none) header.from=shop.example"], True),
    (
        "as Rspamd writes it",
        [
            "mx.desk.example; dkim=pass header.d=shop.example header.s=s1 header.b=abc; arc=none; "
            "spf=pass (mx.desk.example: domain of k@shop.example) smtp.mailfrom=k@shop.example; "
            "dmarc=pass (policy=reject) header.from=shop.example"
        ],
        True,
    ),
    ("capitals", ["MX.Desk.example 1; DMARC=Pass header.from=SHOP.example"], True),
    ("aligned DKIM", ['mx.desk.example; dkim=pass reason="1024-bit key" header.d=shop.example'], True),
    ("aligned DKIM by its identity", ["mx.desk.example; dkim=pass (ok) header.i=@shop.example"], True),
    ("aligned SPF", ["mx.desk.example; spf=pass smtp.mailfrom=bounce@shop.example"], True),
    ("aligned SPF by domain", ["mx.desk.example; spf=pass smtp.mailfrom=shop.example"], True),
    ("no policy, but DKIM", ["mx.desk.example; dmarc=none; dkim=pass header.d=shop.example"], True),
    ("one of two signatures", ["mx.desk.example; dkim=fail header.d=x.example; dkim=pass header.d=shop.example"], True),
    ("nothing", [], False),
    ("none", ["mx.desk.example; none"], False),
    ("DMARC failed, whatever else passed", [f"{PASS}; dmarc=fail header.from=shop.example; dkim=pass"], False),
    ("DMARC failed, DKIM passed", ["mx.desk.example; dmarc=fail; dkim=pass header.d=shop.example"], False),
    ("a temporary error", ["mx.desk.example; dmarc=temperror header.from=shop.example"], False),
    ("no policy and nothing else", ["mx.desk.example; dmarc=none header.from=shop.example"], False),
    ("another domain", ["mx.desk.example; dmarc=pass header.from=evil.example"], False),
    ("no domain", ["mx.desk.example; dmarc=pass"], False),
    ("a domain twice", ["mx.desk.example; dmarc=pass header.from=evil.example header.from=shop.example"], False),
    ("a parent's signature", ["mx.desk.example; dkim=pass header.d=example"], False),
    ("a sub-domain's signature", ["mx.desk.example; dkim=pass header.d=mail.shop.example"], False),
    ("another's envelope", ["mx.desk.example; spf=pass smtp.mailfrom=kim@evil.example"], False),
    ("a greeting is no sender", ["mx.desk.example; spf=pass smtp.helo=shop.example"], False),
    ("a server like ours", [PASS.replace("mx.desk", "mx-desk")], False),
    ("a server within ours", [PASS.replace("mx.desk.example", "mx.desk.example.evil.example")], False),
    ("the forger's is below ours", ["mx.desk.example; dmarc=fail header.from=shop.example", PASS], False),
    ("ours is below another's", ["relay.example; dmarc=pass header.from=shop.example", PASS], False),
    ("a pass in a comment", ["mx.desk.example; dmarc=fail (; dmarc=pass header.from=shop.example)"], False),
    (
        "a pass in a nested comment",
        ["mx.desk.example; dkim=none (a (b) ; dmarc=pass header.from=shop.example )"],
        False,
    ),
    (
        "a pass in a quoted sender",
        ['mx.desk.example; spf=pass smtp.mailfrom="x; dmarc=pass header.from=shop.example"@evil.example'],
        False,
    ),
    ("a comment left open", ["mx.desk.example; dmarc=pass header.from=shop.example ("], False),
    ("a quote left open", ['mx.desk.example; dmarc=pass header.from=shop.example "'], False),
    ("a word that begins with pass", ["mx.desk.example; dmarc=passed header.from=shop.example"], False),
    ("too long", [PASS + " " * 10_000], False),
    ("empty", [""], False),
    ("no id", ["; dmarc=pass header.from=shop.example"], False),
    ("another version", ["mx.desk.example 2; dmarc=pass header.from=shop.example"], False),
]


@pytest.mark.parametrize(("headers", "expected"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_whose_word_counts(headers: list[str], expected: bool) -> None:
    """Only the topmost header, only by our own server, only for exactly the author's domain; else no."""
    assert (Fact.YES if expected else Fact.NO) == proven(headers, "shop.example", "mx.desk.example")


def test_no_domain_is_proven_by_nothing() -> None:
    """An author without a domain is nobody's."""
    assert Fact.NO == proven(["mx.desk.example; dmarc=pass header.from="], "", "mx.desk.example")
