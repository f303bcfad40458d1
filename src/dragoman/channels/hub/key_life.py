"""The client's side of a role key's life: new keys, an end, recovery, erasure; each signed under a nonce of its own.

No token is needed and none is used. What became of a request that got no answer is found out by asking again: the hub
says `replayed` when it is done already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

import msgspec

from dragoman import wire
from dragoman.channels.hub.keys import RoleKey

A = TypeVar("A", bound=wire.Answer)
_UNSIGNED: Final = "0" * 128


class Signer(Protocol):
    """What the client gives its key's life."""

    origin: str
    key: RoleKey

    async def post_signed(self, route: str, answer: type[A], make: Callable[[str], wire.Request]) -> A:
        """Ask a route for something that is signed under a nonce."""
        ...


class KeyLife:
    """The life of the key that a client holds."""

    def __init__(self, client: Signer) -> None:
        self._client = client

    async def rotate(self, new: RoleKey, *, grace_ms: int = 0) -> wire.KeyState:
        """Put `new` in the place of the client's key, which lets instances in for `grace_ms` (milliseconds) more."""
        client = self._client

        def body(nonce: str) -> wire.RotateKey:
            draft = wire.RotateKey(
                role_id=client.key.role_id,
                public_key=new.public_key,
                nonce=nonce,
                origin=client.origin,
                signature=_UNSIGNED,
                new_signature=_UNSIGNED,
                grace_ms=grace_ms,
            )
            data = wire.rotate_input(draft)
            return msgspec.structs.replace(draft, signature=client.key.sign(data), new_signature=new.sign(data))

        return await client.post_signed("/keys/rotate", wire.KeyState, body)

    async def revoke(self) -> wire.KeyState:
        """End the key and every token at once; only a recovery leads back."""
        client = self._client

        def body(nonce: str) -> wire.RevokeKey:
            draft = wire.RevokeKey(role_id=client.key.role_id, nonce=nonce, origin=client.origin, signature=_UNSIGNED)
            return msgspec.structs.replace(draft, signature=client.key.sign(wire.plain_input("revoke", draft)))

        return await client.post_signed("/keys/revoke", wire.KeyState, body)

    async def name_recovery(self, recovery: RoleKey, former: RoleKey | None = None) -> wire.KeyState:
        """Name the key that may put a new one in place; `former` is the one that it replaces."""
        client = self._client

        def body(nonce: str) -> wire.NameRecoveryKey:
            draft = wire.NameRecoveryKey(
                role_id=client.key.role_id,
                recovery_key=recovery.public_key,
                nonce=nonce,
                origin=client.origin,
                signature=_UNSIGNED,
            )
            data = wire.recovery_input(draft)
            former_signature = former.sign(data) if former is not None else None
            return msgspec.structs.replace(draft, signature=client.key.sign(data), former_signature=former_signature)

        return await client.post_signed("/keys/recovery", wire.KeyState, body)

    async def recover(self, recovery: RoleKey | None = None, code: str | None = None) -> wire.KeyState:
        """Put the client's own key, a new one, in the place of all others, by the recovery key or a code."""
        client = self._client

        def body(nonce: str) -> wire.RecoverKey:
            draft = wire.RecoverKey(
                role_id=client.key.role_id,
                public_key=client.key.public_key,
                nonce=nonce,
                origin=client.origin,
                new_signature=_UNSIGNED,
                code=code,
            )
            data = wire.recover_input(draft)
            signature = recovery.sign(data) if recovery is not None else None
            return msgspec.structs.replace(draft, new_signature=client.key.sign(data), signature=signature)

        return await client.post_signed("/keys/recover", wire.KeyState, body)

    async def erase(self) -> wire.Erased:
        """End the role, its words and all it has at the hub. Nothing undoes it."""
        client = self._client

        def body(nonce: str) -> wire.EraseRole:
            draft = wire.EraseRole(role_id=client.key.role_id, nonce=nonce, origin=client.origin, signature=_UNSIGNED)
            return msgspec.structs.replace(draft, signature=client.key.sign(wire.plain_input("erase", draft)))

        return await client.post_signed("/keys/erase", wire.Erased, body)
