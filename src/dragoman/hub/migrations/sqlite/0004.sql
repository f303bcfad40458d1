-- What receivers report of themselves, when they were last heard of, high-water marks, what retention looks for.
-- A hub of an older version reads none of it; what has expired is settled for it too.

-- The last self-report of each role, made by its primary instance of that time; moments are the hub's.
CREATE TABLE receiver (
    role_id       TEXT PRIMARY KEY REFERENCES role (role_id),
    instance_id   TEXT NOT NULL,
    generation    INTEGER NOT NULL,
    reported_at   INTEGER NOT NULL,
    version       TEXT NOT NULL,
    mode          TEXT NOT NULL,
    background_at INTEGER,
    handler_at    INTEGER,
    handler_same  INTEGER NOT NULL,
    notifier_at   INTEGER,
    notifier_same INTEGER NOT NULL,
    scope_until   INTEGER,
    may_reply     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The conversations that wait on one side, as that side reported; only those of the role's present generation count.
CREATE TABLE waiting (
    contact_id TEXT NOT NULL REFERENCES contact (contact_id),
    role_id    TEXT NOT NULL REFERENCES role (role_id),
    generation INTEGER NOT NULL,
    waits_for  TEXT NOT NULL,
    since      INTEGER NOT NULL,
    PRIMARY KEY (contact_id, role_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiting_role ON waiting (role_id);

-- When a role's primary instance last polled or renewed a lease; written now and then, the rest is in memory.
CREATE TABLE pulse (
    role_id    TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    polled_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
    role_id   TEXT NOT NULL REFERENCES role (role_id),
    grant_id  TEXT NOT NULL,
    name      TEXT NOT NULL,
    ledger_id TEXT NOT NULL,
    n         INTEGER NOT NULL,
    PRIMARY KEY (role_id, grant_id, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER mark_only_rises BEFORE UPDATE ON mark WHEN NEW.n < OLD.n
BEGIN SELECT RAISE(ABORT, 'a mark never falls'); END;

CREATE INDEX message_expired ON message (contact_id, sender, expired_at) WHERE expired_at IS NOT NULL;
CREATE INDEX lease_cap ON lease (cap_at);
