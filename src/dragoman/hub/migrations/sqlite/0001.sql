-- The hub's tables on SQLite. Times are milliseconds since the epoch, UTC. `number` is our own order of arrival and
-- never leaves the hub; `seq` counts within one contact and is what roles see.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The fence of each role: only `primary_instance` writes, only under `generation`.
CREATE TABLE role (
    role_id          TEXT PRIMARY KEY,
    public_key       TEXT NOT NULL,
    created_at       INTEGER NOT NULL,
    generation       INTEGER NOT NULL DEFAULT 0,
    primary_instance TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE used_nonce (
    nonce      TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_nonce_end ON used_nonce (expires_at);

-- Tokens are kept as their SHA-256: the file alone lets nobody in.
CREATE TABLE session (
    token_hash  TEXT PRIMARY KEY,
    role_id     TEXT NOT NULL REFERENCES role (role_id),
    instance_id TEXT NOT NULL,
    generation  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_end ON session (expires_at);
CREATE INDEX session_role ON session (role_id, expires_at);

CREATE TABLE contact (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    contact_id TEXT NOT NULL UNIQUE,
    opener     TEXT NOT NULL REFERENCES role (role_id),
    peer       TEXT NOT NULL REFERENCES role (role_id),
    open_id    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    closed_at  INTEGER,
    last_seq   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (opener, open_id)
) STRICT;
CREATE INDEX contact_peer ON contact (peer, number);
CREATE INDEX contact_opener ON contact (opener, number);

-- `lease_token` is the last lease that held the message. It stays after an ack, so that a repeated ack is known again.
CREATE TABLE message (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id  TEXT NOT NULL UNIQUE,
    contact_id  TEXT NOT NULL REFERENCES contact (contact_id),
    seq         INTEGER NOT NULL,
    sender      TEXT NOT NULL,
    recipient   TEXT NOT NULL,
    reply_id    TEXT NOT NULL,
    digest      TEXT NOT NULL,
    text        TEXT NOT NULL,
    packet      TEXT,
    complete    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    not_before  INTEGER NOT NULL DEFAULT 0,
    lease_token TEXT,
    acked_at    INTEGER,
    UNIQUE (sender, reply_id),
    UNIQUE (contact_id, seq)
) STRICT;
-- Only what is not acked is in here, so the head of a mailbox holds no dead entries.
CREATE INDEX message_waiting ON message (recipient, number) WHERE acked_at IS NULL;
CREATE INDEX message_open ON message (contact_id, recipient) WHERE acked_at IS NULL;

CREATE TABLE lease (
    lease_token TEXT PRIMARY KEY,
    role_id     TEXT NOT NULL REFERENCES role (role_id),
    generation  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    cap_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_end ON lease (role_id, cap_at);
