-- What roles find and are told: their event streams. An older hub writes none and harms none.

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
