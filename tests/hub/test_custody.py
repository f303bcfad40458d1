"""Which key may do what to a role, as tables."""

from __future__ import annotations

import pytest

from dragoman.hub import custody
from dragoman.hub.custody import Keys, Verdict

NOW = 1_000
PLAIN = Keys(public_key="K2", grace_key="K1", grace_until=NOW, recovery_key="R")
GRACE = Keys(public_key="K2", grace_key="K1", grace_until=NOW + 1, recovery_key="R")
REVOKED = Keys(public_key="", former_key="K2", recovery_key="R", revoked=True)
ERASED = Keys(public_key="", revoked=True, erased=True)


def by(*signers: str) -> custody.Fits:
    """The signature was made by one of these."""
    return lambda key: key in signers


def no(code: str) -> Verdict:
    return Verdict(refusal=code)


YES, DONE = Verdict(), Verdict(done=True)

ENTER = [
    ("the present key", PLAIN, "K2", False, YES),
    ("the present key takes over", PLAIN, "K2", True, YES),
    ("an old key without grace", PLAIN, "K1", False, no("key_replaced")),
    ("an old key in grace", GRACE, "K1", False, Verdict(until=NOW + 1)),
    ("an old key in grace takes nothing over", GRACE, "K1", True, no("key_replaced")),
    ("the recovery key is no key to enter by", PLAIN, "R", False, no("signature_invalid")),
    ("a stranger's key", PLAIN, "X", False, no("signature_invalid")),
    ("a revoked role's key", REVOKED, "K2", False, no("role_revoked")),
    ("a stranger learns nothing of a revoked role", REVOKED, "X", False, no("signature_invalid")),
    ("an erased role has no key", ERASED, "K2", False, no("signature_invalid")),
]


@pytest.mark.parametrize(
    ("keys", "signer", "takeover", "verdict"), [row[1:] for row in ENTER], ids=[r[0] for r in ENTER]
)
def test_who_may_enter(keys: Keys, signer: str, takeover: bool, verdict: Verdict) -> None:
    """The present key enters; an old one while its grace lasts, and takes nothing over."""
    assert verdict == custody.may_enter(keys, by(signer), takeover, NOW)


ROTATE = [
    ("the present key", PLAIN, "K2", "K3", True, YES),
    ("a new key that nobody holds", PLAIN, "K2", "K3", False, no("signature_invalid")),
    ("an old key, even in grace", GRACE, "K1", "K3", True, no("key_replaced")),
    ("asked again by whoever holds the new key", PLAIN, "K1", "K2", True, DONE),
    ("a stranger", PLAIN, "X", "K3", True, no("signature_invalid")),
    ("the recovery key does not rotate", PLAIN, "R", "K3", True, no("signature_invalid")),
    ("a revoked role", REVOKED, "K2", "K3", True, no("role_revoked")),
    ("an erased role", ERASED, "K2", "K3", True, no("signature_invalid")),
]


@pytest.mark.parametrize(
    ("keys", "signer", "new", "signed", "verdict"), [row[1:] for row in ROTATE], ids=[r[0] for r in ROTATE]
)
def test_who_may_rotate(keys: Keys, signer: str, new: str, signed: bool, verdict: Verdict) -> None:
    """Only the present key puts another in its place, and only one that signs for itself."""
    assert verdict == custody.may_rotate(keys, by(signer), new, signed)


REVOKE = [
    ("the present key", PLAIN, "K2", YES),
    ("an old key in grace", GRACE, "K1", no("signature_invalid")),
    ("again", REVOKED, "K2", DONE),
    ("a stranger", REVOKED, "X", no("signature_invalid")),
    ("an erased role", ERASED, "K2", no("signature_invalid")),
]


@pytest.mark.parametrize(("keys", "signer", "verdict"), [row[1:] for row in REVOKE], ids=[row[0] for row in REVOKE])
def test_who_may_revoke(keys: Keys, signer: str, verdict: Verdict) -> None:
    """The present key; and again by the one that did."""
    assert verdict == custody.may_revoke(keys, by(signer))


NAME = [
    ("the first recovery key", Keys(public_key="K"), ("K",), (), "R", YES),
    ("the same again", Keys(public_key="K", recovery_key="R"), ("K",), (), "R", DONE),
    ("another, with the old one's word", Keys(public_key="K", recovery_key="R"), ("K",), ("R",), "S", YES),
    ("another, by a thief", Keys(public_key="K", recovery_key="R"), ("K",), ("K", "S"), "S", no("signature_invalid")),
    ("the role's own key", Keys(public_key="K"), ("K",), (), "K", no("recovery_key_same")),
    ("a stranger", Keys(public_key="K"), ("X",), (), "R", no("signature_invalid")),
    ("a revoked role", REVOKED, ("K2",), ("R",), "S", no("role_revoked")),
]


@pytest.mark.parametrize(
    ("keys", "signers", "formers", "new", "verdict"), [row[1:] for row in NAME], ids=[row[0] for row in NAME]
)
def test_who_may_name_a_recovery_key(
    keys: Keys, signers: tuple[str, ...], formers: tuple[str, ...], new: str, verdict: Verdict
) -> None:
    """A thief of the present key cannot shut the owner out by naming another recovery key."""
    assert verdict == custody.may_name_recovery(keys, by(*signers), new, by(*formers))


RECOVER = [
    ("the recovery key", PLAIN, True, "R", False, YES),
    ("a revoked role, by its recovery key", REVOKED, True, "R", False, YES),
    ("a code", REVOKED, True, "X", True, YES),
    ("neither", REVOKED, True, "K2", False, no("recovery_invalid")),
    ("a new key that nobody holds", PLAIN, False, "R", True, no("signature_invalid")),
    ("no recovery key was named", Keys(public_key="K"), True, "R", False, no("recovery_invalid")),
    ("an erased role, even by a code", ERASED, True, "R", True, no("signature_invalid")),
]


@pytest.mark.parametrize(
    ("keys", "signed", "signer", "code", "verdict"), [row[1:] for row in RECOVER], ids=[row[0] for row in RECOVER]
)
def test_who_may_recover(keys: Keys, signed: bool, signer: str, code: bool, verdict: Verdict) -> None:
    """The recovery key named beforehand, or the operator's code; never for an erased role."""
    assert verdict == custody.may_recover(keys, signed, by(signer), code)


REGISTER = [
    (PLAIN, "K2", None),
    (PLAIN, "K1", "key_replaced"),
    (REVOKED, "K2", "role_revoked"),
    (ERASED, "K1", "role_erased"),
]


@pytest.mark.parametrize(("keys", "key", "refusal"), REGISTER)
def test_registering_again(keys: Keys, key: str, refusal: str | None) -> None:
    """A key that made the role is told what has become of it."""
    assert refusal == custody.may_register(keys, key)
