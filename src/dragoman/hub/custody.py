"""Which key may do what to a role? The life of role keys, from facts alone (spec 2 §1).

1. **Present key**: signs log-ins, its own replacement and revocation, the naming of a recovery key, the erasure.
2. **Old key in grace**: lets instances log in that were there; it takes nothing over and changes no key.
3. **Recovery key**: does one thing: puts a new key in the place of all others. Once one is named, only with its own
   signature is another named, so that whoever steals the present key cannot shut the owner out.
4. **Operator's code**: the same, once, when the recovery key is lost too.
5. Every new key signs too: nobody puts in a key that nobody holds.
6. A revoked role can be recovered; an erased one is nobody's for ever.
7. What has been done already, asked for again by whoever may, is done already.

`fits` says whether a signature of the request was made by a key; it is asked for no other thing. A verdict is a refusal
of `wire.ERRORS`, or a yes.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

Fits = Callable[[str], bool]
"""Whether the request's signature was made by the private half of this public key."""


class Keys(msgspec.Struct, frozen=True, kw_only=True):
    """A role's keys as the store holds them; hex, or None. Times are milliseconds since the epoch."""

    public_key: str
    former_key: str | None = None
    grace_key: str | None = None
    grace_until: int | None = None
    recovery_key: str | None = None
    revoked: bool = False
    erased: bool = False


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal's code, or a yes. `done`: nothing is left to do. `until`: how long a yes is good, if not for ever."""

    refusal: str | None = None
    done: bool = False
    until: int | None = None


_YES = Verdict()
_DONE = Verdict(done=True)


def may_enter(keys: Keys, fits: Fits, takeover: bool, now: int) -> Verdict:
    """Whether a log-in's signature lets its instance in."""
    if keys.public_key and fits(keys.public_key):
        return _YES
    if keys.grace_key is not None and keys.grace_until is not None and fits(keys.grace_key):
        in_grace = now < keys.grace_until and not takeover
        return Verdict(until=keys.grace_until) if in_grace else Verdict(refusal="key_replaced")
    return Verdict(refusal=_no(keys, fits))


def may_rotate(keys: Keys, fits: Fits, new_key: str, new_signed: bool) -> Verdict:
    """Whether the present key may be replaced by `new_key`."""
    if not new_signed:
        return Verdict(refusal="signature_invalid")
    if new_key == keys.public_key:
        return _DONE
    if keys.public_key and fits(keys.public_key):
        return _YES
    old = keys.grace_key is not None and fits(keys.grace_key)
    return Verdict(refusal="key_replaced" if old else _no(keys, fits))


def may_revoke(keys: Keys, fits: Fits) -> Verdict:
    """Whether the role may be revoked by whoever signed."""
    if keys.revoked and not keys.erased and keys.former_key is not None and fits(keys.former_key):
        return _DONE
    return _present(keys, fits)


def may_name_recovery(keys: Keys, fits: Fits, recovery_key: str, former_signed: Fits) -> Verdict:
    """Whether `recovery_key` may become the recovery key; `former_signed` is asked about the one it would replace."""
    verdict = _present(keys, fits)
    if verdict.refusal is not None:
        return verdict
    if recovery_key == keys.public_key:
        return Verdict(refusal="recovery_key_same")
    if recovery_key == keys.recovery_key:
        return _DONE
    if keys.recovery_key is not None and not former_signed(keys.recovery_key):
        return Verdict(refusal="signature_invalid")
    return _YES


def may_recover(keys: Keys, new_signed: bool, by_recovery_key: Fits, by_code: bool) -> Verdict:
    """Whether a new key may take the place of all others; `by_code`: the operator's code was given and is good."""
    if keys.erased or not new_signed:
        return Verdict(refusal="signature_invalid")
    if by_code or (keys.recovery_key is not None and by_recovery_key(keys.recovery_key)):
        return _YES
    return Verdict(refusal="recovery_invalid")


def may_erase(keys: Keys, fits: Fits) -> Verdict:
    """Whether the role may be erased by whoever signed."""
    return _present(keys, fits)


def may_register(keys: Keys, public_key: str) -> str | None:
    """Why a key that signs for itself is not the key of this role now, or None."""
    if keys.erased:
        return "role_erased"
    if keys.revoked:
        return "role_revoked"
    return None if public_key == keys.public_key else "key_replaced"


def _present(keys: Keys, fits: Fits) -> Verdict:
    if keys.public_key and fits(keys.public_key):
        return _YES
    return Verdict(refusal=_no(keys, fits))


def _no(keys: Keys, fits: Fits) -> str:
    """Only who held the role's key is told that it was revoked; to everyone else no key fits."""
    held = keys.former_key is not None and fits(keys.former_key)
    return "role_revoked" if keys.revoked and held else "signature_invalid"
