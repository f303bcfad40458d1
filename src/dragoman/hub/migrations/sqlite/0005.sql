-- Tenants, invitations, the life of role keys, erasure, audit. An older hub serves on: it sees a revoked or erased role
-- as one whose key fits no signature, honours no grace of an old key, and counts no tenant's limits.

-- `limits` is a JSON object of fields of the published limits that are tighter for this tenant.
CREATE TABLE tenant (
    tenant_id    TEXT PRIMARY KEY,
    limits       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    suspended_at INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO tenant (tenant_id, limits, created_at) VALUES ('default', '{}', 0);

ALTER TABLE role ADD COLUMN tenant_id TEXT NOT NULL DEFAULT 'default';
CREATE INDEX role_tenant ON role (tenant_id, role_id);
-- `public_key` is empty once a role is revoked or erased; `former_key` is what it was, for a revoked one.
ALTER TABLE role ADD COLUMN former_key TEXT;
ALTER TABLE role ADD COLUMN grace_key TEXT;
ALTER TABLE role ADD COLUMN grace_until INTEGER;
ALTER TABLE role ADD COLUMN recovery_key TEXT;
ALTER TABLE role ADD COLUMN revoked_at INTEGER;
ALTER TABLE role ADD COLUMN erased_at INTEGER;

-- Codes are kept as their SHA-256, as tokens are.
CREATE TABLE invitation (
    code_hash  TEXT PRIMARY KEY,
    tenant_id  TEXT NOT NULL REFERENCES tenant (tenant_id),
    uses_left  INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_code (
    code_hash  TEXT PRIMARY KEY,
    role_id    TEXT NOT NULL REFERENCES role (role_id),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who did what and when to roles, tenants and invitations; no secret and no text ever stands in here.
CREATE TABLE audit (
    number    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    action    TEXT NOT NULL,
    role_id   TEXT,
    tenant_id TEXT,
    detail    TEXT
) STRICT;
CREATE INDEX audit_role ON audit (role_id, number);

ALTER TABLE message ADD COLUMN erased_at INTEGER;
ALTER TABLE contact ADD COLUMN erased_at INTEGER;
-- How many contacts a role has opened and not closed is counted from here.
CREATE INDEX contact_mine_open ON contact (opener) WHERE closed_at IS NULL;
