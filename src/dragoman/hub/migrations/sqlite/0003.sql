-- What roles find and are told: directory, subscriptions, delegations, blocks, event streams. An older hub serves beside
-- this one, but knows no blocks: blocks hold once the last older hub is gone.

-- `seq` counts within one role and is what the role sees; the head's row is held while one is added, so that a reader
-- who has seen a number has seen every smaller one. `key` names what happened: one happening is one event.
CREATE TABLE event_head (
    role_id  TEXT PRIMARY KEY REFERENCES role (role_id),
    last_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    role_id    TEXT NOT NULL REFERENCES role (role_id),
    seq        INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    facts      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (role_id, seq),
    UNIQUE (role_id, kind, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_kind ON event (role_id, kind, seq);
CREATE INDEX event_age ON event (created_at);

-- The directory: at most one stall per role, and delegations. A change is a new row with a new number, so that the
-- order of the numbers is the order of the changes; `version` counts the changes of one entry. `day_began` and
-- `day_changes` bound how often a role may change its stall.
CREATE TABLE entry (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    entry_id    TEXT NOT NULL UNIQUE,
    kind        TEXT NOT NULL,
    role_id     TEXT NOT NULL REFERENCES role (role_id),
    publish_id  TEXT,
    version     INTEGER NOT NULL,
    title       TEXT NOT NULL,
    text        TEXT NOT NULL,
    tags        TEXT NOT NULL,
    state       TEXT NOT NULL,
    expires_at  INTEGER,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    day_began   INTEGER NOT NULL,
    day_changes INTEGER NOT NULL,
    UNIQUE (role_id, publish_id)
) STRICT;
CREATE UNIQUE INDEX entry_stall ON entry (role_id) WHERE kind = 'stall';
CREATE INDEX entry_role ON entry (role_id, kind, number);
CREATE INDEX entry_open ON entry (kind, number) WHERE state = 'open';

-- Open entries alone, by the tokens of `tokens.held`; `rowid` is the entry's number. The tokenizer only splits at spaces.
CREATE VIRTUAL TABLE entry_index USING fts5 (tokens, tokenize = 'ascii', detail = 'none');

-- Saved searches. `anchor` is one token that every match must hold: new entries find their subscriptions by it.
CREATE TABLE subscription (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription_id TEXT NOT NULL UNIQUE,
    role_id         TEXT NOT NULL REFERENCES role (role_id),
    kind            TEXT NOT NULL,
    query           TEXT NOT NULL,
    tags            TEXT NOT NULL,
    tokens          TEXT NOT NULL,
    anchor          TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    UNIQUE (role_id, kind, tokens)
) STRICT;
CREATE INDEX subscription_anchor ON subscription (kind, anchor);

CREATE TABLE block (
    blocker    TEXT NOT NULL REFERENCES role (role_id),
    blocked    TEXT NOT NULL REFERENCES role (role_id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (blocker, blocked)
) STRICT, WITHOUT ROWID;
CREATE INDEX block_blocked ON block (blocked, blocker);

-- Which delegation a contact answers.
ALTER TABLE contact ADD COLUMN delegation_id TEXT;
