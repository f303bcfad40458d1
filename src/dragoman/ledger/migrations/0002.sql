-- From version 1 to version 2. Every statement stands or none does; `store.py` runs them in one transaction.

-- What a draft carries beside its text (subject, files, blocks), msgpack; and when the operator was last told of it.
ALTER TABLE draft ADD COLUMN body BLOB NOT NULL DEFAULT x'';
ALTER TABLE draft ADD COLUMN pinged_at INTEGER NOT NULL DEFAULT 0;

-- The normalised facts of a message that stayed silent, JSON; its twin's are merged with them (spec 1 §11.4).
ALTER TABLE seen ADD COLUMN facts TEXT NOT NULL DEFAULT '';

-- Unmentioned group messages that a policy lets be kept: untrusted, for that same target only, until `until` (spec 1 §3).
CREATE TABLE observed (
    id INTEGER PRIMARY KEY,
    target TEXT NOT NULL,
    author TEXT NOT NULL,
    text TEXT NOT NULL,
    observed_at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX observed_target ON observed (target, observed_at);
CREATE INDEX observed_until ON observed (until);

-- The parts of a request that are still arriving. `buffer` names target, thread and author; `event` is msgpack.
CREATE TABLE burst (
    dedupe_key TEXT PRIMARY KEY,
    buffer TEXT NOT NULL,
    event BLOB NOT NULL,
    arrived_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX burst_buffer ON burst (buffer, arrived_at);

-- Raw evidence for the operator (errors, traces, refused drafts), linked by correlation id, until `until` (spec 1 §11.10).
CREATE TABLE evidence (
    id INTEGER PRIMARY KEY,
    correlation_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    body BLOB NOT NULL,
    kept_at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT;
CREATE INDEX evidence_correlation ON evidence (correlation_id);
CREATE INDEX evidence_until ON evidence (until);

-- Texts that the operator opted in to keep, so that content rules can be replayed under a new policy (spec 1 §9).
CREATE TABLE replay (
    correlation_id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    body BLOB NOT NULL,
    kept_at INTEGER NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX replay_until ON replay (until);
