"""The owner's one authorisation as it stands now: the configuration's `autonomy` as one grant (spec 2 §2, §3.7, §3.15).

1. The file, and the operator's policy that it names, are looked at before every dispatch and every send. A file that
   cannot be used any more is a changed scope: nothing is done until it is mended; unknown is never a yes. A policy file
   that does not load is not in force: the last good one holds, and `refused` says why.
2. The scope digest covers all autonomy keys, the instruction, both commands, identity and generation. It is kept with
   the grant id at first use; the same id with another digest is refused, narrowing included.
3. `accept_inbound` adds contacts that a peer opened to the grant's targets, and nothing else ever does.

Nothing here reads a message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import msgspec

from dragoman.channels.hub.facts import contact_target
from dragoman.clock import Clock
from dragoman.errors import DragomanError
from dragoman.gate.entries import policy_entry
from dragoman.gate.gate import Gate
from dragoman.gate.policy import Policy
from dragoman.gate.ports import Entry
from dragoman.grants import Grant
from dragoman.identity import Target
from dragoman.receiver.books import Books
from dragoman.receiver.config import AutonomySection, Config, load_config
from dragoman.receiver.policy import files_of, policy_of, stamp
from dragoman.receiver.turn import Scope
from dragoman.words import Purpose


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Who acts, and with which commands: the part of the scope that is not in the file."""

    role_id: str
    instance_id: str
    generation: int
    handler: str
    notifier: str


class Mandate(msgspec.Struct, frozen=True, kw_only=True):
    """What the owner wants now. `grant` and `scope` are None in attended mode."""

    instruction: str = ""
    language: str = "en"
    autonomy: AutonomySection | None = None
    grant: Grant | None = None
    scope: Scope | None = None


class Authority:
    """The owner's authorisation of one role.

    Args:
        config: as it was read at the start.
        policy: the operator's policy without this grant.
        gate: whose policy is kept up to date with the grant.
        standing: grants that the configuration makes besides (the notifier's), whatever the policy becomes.
        runs: whether this process runs the very commands that a configuration names, as their files are now. A grant
            that is new to a process that does not is left for the next start: its scope would name what is not run.
    """

    def __init__(
        self,
        config: Config,
        identity: Identity | None,
        *,
        policy: Policy,
        gate: Gate,
        books: Books,
        clock: Clock,
        standing: tuple[Grant, ...] = (),
        runs: Callable[[Config, Identity], bool] = lambda config, identity: True,
    ) -> None:
        self._config = config
        self._identity = identity
        self._standing = standing
        self._policy = policy.with_grants(standing)
        self._gate = gate
        self._books = books
        self._clock = clock
        self._watched = (config.path, *files_of(config))
        self._stamp = stamp(self._watched)
        self._usable = True
        self._runs = runs
        self._read = False
        """Whether the file was read again since the start."""
        self.refused: DragomanError | None = None
        """Why the policy file as it stands is not in force; the last good one holds meanwhile."""
        self._mandate = self._made()

    @property
    def mandate(self) -> Mandate:
        """What was found at the last look."""
        return self._mandate

    def look(self) -> Mandate:
        """Look at the file again and say what holds now."""
        if stamp(self._watched) != self._stamp:
            self._read_again()
        self._mandate = self._made()
        return self._mandate

    def _read_again(self) -> None:
        """Take what the files hold now, as far as it can be used; what became of the policy is written down."""
        try:
            self._config = load_config(self._config.path)
            self._usable = True
        except DragomanError:
            self._usable = False
        self._read = True
        self._watched = (self._config.path, *files_of(self._config))
        self._stamp = stamp(self._watched)
        self.refused = None
        try:
            found = policy_of(self._config, self._policy).with_grants(self._standing)
        except DragomanError as error:
            self.refused = error
            self._note_policy("policy_refused", error.code)
            return
        if found.version != self._policy.version:
            self._policy = found
            self._note_policy("policy_changed", "policy")

    def _note_policy(self, outcome: str, reason: str) -> None:
        self._books.journal.record(policy_entry(outcome, reason, self._policy.version, self._clock.now()))

    def take_on(self, target: Target) -> None:
        """Add a contact that a peer opened to the grant's targets; written down before it is admitted (spec 2 §3.7)."""
        grant = self._mandate.grant
        if grant is None:
            return
        now = self._clock.now()
        if self._books.charges.accept(grant.id, target, now):
            self._books.journal.record(
                Entry(
                    correlation_id=f"grant-{grant.id}",
                    kind="operator",
                    outcome="contact_accepted",
                    reason="accept_inbound",
                    time=now,
                    target=target,
                )
            )
        self._mandate = self._made()

    def _made(self) -> Mandate:
        file, identity = self._config.file, self._identity
        autonomy = file.autonomy
        plain = Mandate(instruction=file.owner_instruction or "", language=file.language)
        if autonomy is None or identity is None:
            self._gate.policy = self._policy
            return plain
        scoped = digest(autonomy, plain.instruction, identity)
        used = self._books.charges.used(autonomy.grant_id)
        if used is None and (not self._read or self._runs(self._config, identity)):
            used = self._books.charges.use(autonomy.grant_id, Purpose.AUTONOMY, scoped, self._clock.now())
        named = {contact_target(identity.role_id, contact) for contact in autonomy.contact_ids}
        grant = Grant(
            id=autonomy.grant_id,
            purpose=Purpose.AUTONOMY,
            targets=frozenset(named) | self._books.charges.accepted(autonomy.grant_id),
            given_by="owner",
            expires_at=autonomy.expires_at,
            max_per_target=autonomy.max_turns_per_contact,
            max_per_day=autonomy.max_dispatches_per_day,
        )
        scope = Scope(
            id=grant.id,
            expires_at=grant.expires_at,
            max_turns=autonomy.max_turns_per_contact,
            max_dispatches=autonomy.max_dispatches_per_day,
            changed=not self._usable or used is None or used.digest != scoped,
        )
        self._gate.policy = self._policy if scope.changed else self._policy.with_grants([grant])
        return msgspec.structs.replace(plain, autonomy=autonomy, grant=grant, scope=scope)


def digest(autonomy: AutonomySection, instruction: str, identity: Identity) -> str:
    """The scope digest (spec 2 §3.15): all autonomy keys, the instruction, both commands, identity, generation."""
    body = msgspec.json.encode([autonomy, instruction, identity], order="deterministic")
    return hashlib.sha256(b"dragoman-scope-v1\n" + body).hexdigest()
