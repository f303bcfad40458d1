"""Unsupported claims: an assertion fails, a denial or a named runtime passes (spec 3 §3, §5.4)."""

from __future__ import annotations

import pytest

from dragoman.packets.claims.claimed import claims

CLAIMED = """
UAIX provides hosted messaging.
This packet guarantees automatic sync between agents.
We offer official adapters for Slack.
Certified by UAIX.
This record comes with runtime orchestration.
It does not need a server and provides hosted messaging.
UAIX is not a runtime, but it supports automatic synchronization.
Not only hosted messaging but also hosted imports are included.
The UAIX runtime provides hosted messaging.
This packet writes to the repository.
Hosted messaging is provided and is not slow.
No charge applies. UAIX gives you hosted imports.
The supplier asked, and we provide automatic sync.
Provides hosted messaging.
UAIX provides hosted messaging and is not slow.
UAIX gives the customer hosted imports.
UAI-1 supports automatic sync.
本包提供托管消息。
UAIX 不需要服务器，并提供自动同步
不仅支持自动同步
我们通过官方认证
UAIX 不是运行时，但提供运行时编排。
""".strip().splitlines()

NOT_CLAIMED = """
UAIX does not provide hosted messaging.
No automatic sync, hosted messaging, runtime orchestration, official adapters, repository writes or certification.
Hosted messaging, automatic sync and official adapters are not provided.
This packet doesn't offer automatic sync, and it never performs repository writes.
Carcinus provides runtime orchestration.
An external runtime performs repository writes.
Certification is out of scope.
UAIX 不提供自动同步、托管消息传递、运行时编排、官方适配器、存储库写入执行、证书颁发机构或托管导入机制。
本包不提供自动同步，也不支持托管消息
自动同步不在范围内
LocalEndPoint 运行时提供自动同步
Schema migration needs write access to the shared database.
This packet records the blocker; it does not execute or unblock anything.
Repository write blocked.
Renew the TLS certificate of the shop
The certificate of the shop is expired.
The supplier provides automatic sync of stock levels.
Slack offers official adapters.
Acme supports automatic synchronization with its shop.
供应商提供自动同步
Carcinus runtime orchestration is a separate thing.
UAIX records while an external runtime performs repository writes.
""".strip().splitlines()


@pytest.mark.parametrize("text", CLAIMED)
def test_an_assertion_is_a_claim(text: str) -> None:
    """Who asserts hosted messaging, sync, orchestration, adapters, writes, certification or import claims it."""
    assert claims(text)
    assert claims(f"First a harmless sentence. {text}")


@pytest.mark.parametrize("text", NOT_CLAIMED)
def test_a_denial_a_mention_or_another_runtime_is_none(text: str) -> None:
    """The support boundary of the model itself must pass, in both languages."""
    assert not claims(text)


def test_a_denial_does_not_cover_the_next_sentence() -> None:
    """One denied claim beside an asserted one is still a claim."""
    assert claims("UAIX does not provide automatic sync. UAIX provides hosted messaging.")
