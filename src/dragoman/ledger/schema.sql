-- The ledger's tables, version 1. Times are epoch milliseconds UTC. A `target` is its text form `platform/workspace/channel`.

-- One value per key: install id, role, generation.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Decisions as records, hash-chained; `body` is the only truth of a row.
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    correlation_id TEXT GENERATED ALWAYS AS (json_extract(body, '$.correlation_id')) VIRTUAL,
    consumer TEXT GENERATED ALWAYS AS (json_extract(body, '$.consumer')) VIRTUAL
) STRICT;
CREATE INDEX journal_correlation ON journal (correlation_id);
CREATE INDEX journal_consumer ON journal (consumer);
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

-- Filed drafts and what became of them.
CREATE TABLE draft (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    text TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    epoch TEXT NOT NULL,
    reason TEXT NOT NULL,
    topics TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    state TEXT NOT NULL,
    approvable INTEGER NOT NULL,
    filed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    operator TEXT NOT NULL,
    nonce TEXT NOT NULL,
    reply_id TEXT NOT NULL,
    thread TEXT,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX draft_state ON draft (state, filed_at);

-- Grants that have been used here: their purpose, and the digest of the scope they were first used with.
CREATE TABLE used_grant (
    id TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    digest TEXT NOT NULL,
    first_used_at INTEGER NOT NULL
) STRICT;

-- Contacts that a peer opened and that a grant with `accept_inbound` took on, in addition to those it names.
CREATE TABLE accepted (grant_id TEXT NOT NULL, target TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (grant_id, target))
STRICT, WITHOUT ROWID;

-- Counters that only grow. `pool` is `autonomy` (shared by all autonomy grants) or `grant:<id>`.
CREATE TABLE spend (
    pool TEXT NOT NULL,
    key TEXT NOT NULL,
    n INTEGER NOT NULL CHECK (n > 0),
    PRIMARY KEY (pool, key)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER spend_only_grows BEFORE UPDATE ON spend WHEN NEW.n <= OLD.n
BEGIN SELECT RAISE(ABORT, 'a counter never falls'); END;
CREATE TRIGGER spend_no_delete BEFORE DELETE ON spend BEGIN SELECT RAISE(ABORT, 'a counter never falls'); END;
CREATE TABLE spend_log (
    seq INTEGER PRIMARY KEY,
    grant_id TEXT NOT NULL,
    target TEXT NOT NULL,
    day TEXT NOT NULL,
    total INTEGER NOT NULL,
    on_target INTEGER NOT NULL,
    today INTEGER NOT NULL,
    charged_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER spend_log_no_update BEFORE UPDATE ON spend_log
BEGIN SELECT RAISE(ABORT, 'the spend log is append-only'); END;
CREATE TRIGGER spend_log_no_delete BEFORE DELETE ON spend_log
BEGIN SELECT RAISE(ABORT, 'the spend log is append-only'); END;

-- Messages that were decided, pauses, and colleagues seen in a target.
CREATE TABLE seen (
    dedupe_key TEXT PRIMARY KEY,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    times INTEGER NOT NULL,
    decided_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE pause (target TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE colleague (target TEXT PRIMARY KEY, wrote_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

-- Every message that was fetched; `raw` is the wire form, kept until nothing needs it any more.
CREATE TABLE inbound (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    position INTEGER NOT NULL,
    raw BLOB,
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    turn_id TEXT,
    lease TEXT NOT NULL,
    acked INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_target ON inbound (target, state, position);
CREATE INDEX inbound_turn ON inbound (turn_id);

-- One handler call and its repetitions. `grant_id` is empty for what the owner wrote himself.
CREATE TABLE turn (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    generation INTEGER NOT NULL,
    correlation_id TEXT NOT NULL,
    admission BLOB NOT NULL,
    attempts INTEGER NOT NULL,
    state TEXT NOT NULL,
    next_at INTEGER NOT NULL,
    failure TEXT NOT NULL,
    note TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX turn_open ON turn (state, target);

-- What the handler decided, with the id that its reply carries over every retry; one per turn that was not denied.
CREATE TABLE decision (
    reply_id TEXT PRIMARY KEY,
    turn_id TEXT NOT NULL REFERENCES turn (id),
    target TEXT NOT NULL,
    action TEXT NOT NULL,
    text TEXT NOT NULL,
    complete INTEGER NOT NULL,
    owner_summary TEXT NOT NULL,
    topics TEXT NOT NULL,
    state TEXT NOT NULL,
    draft_id TEXT NOT NULL,
    evidence TEXT NOT NULL,
    retry_at INTEGER NOT NULL,
    decided_at INTEGER NOT NULL,
    sent_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX decision_turn ON decision (turn_id) WHERE state <> 'denied';
CREATE INDEX decision_target ON decision (target, decided_at);
CREATE INDEX decision_draft ON decision (draft_id);
CREATE TRIGGER decision_text_stands BEFORE UPDATE OF turn_id, reply_id, target, action, text, complete ON decision
BEGIN SELECT RAISE(ABORT, 'a saved decision does not change'); END;

-- Where one conversation stands.
CREATE TABLE conversation (
    target TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    grant_id TEXT NOT NULL,
    summary TEXT NOT NULL,
    note TEXT NOT NULL,
    resolution TEXT NOT NULL,
    reminded TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- What the owner is to be told. `key` makes one event one notification.
CREATE TABLE notification (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    target TEXT NOT NULL,
    milestone TEXT NOT NULL,
    summary TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX notification_state ON notification (state, created_at);

-- Cycles of the receiver, start to end.
CREATE TABLE cycle (
    seq INTEGER PRIMARY KEY,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    boot_id TEXT NOT NULL,
    started_by TEXT NOT NULL
) STRICT;

-- Where a source without leases was read up to.
CREATE TABLE source_position (source TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- The packets of each conversation, byte for byte as they were built.
CREATE TABLE packet (
    target TEXT NOT NULL,
    number INTEGER NOT NULL,
    source TEXT NOT NULL,
    message_id TEXT NOT NULL UNIQUE,
    profile TEXT NOT NULL,
    bytes BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (target, number)
) STRICT, WITHOUT ROWID;
