-- Tenants, invitations, the life of role keys, erasure, audit; as `../sqlite/0005.sql`.

-- `limits` is a JSON object of fields of the published limits that are tighter for this tenant.
CREATE TABLE tenant (
    tenant_id    text PRIMARY KEY,
    limits       text NOT NULL,
    created_at   bigint NOT NULL,
    suspended_at bigint
);
INSERT INTO tenant (tenant_id, limits, created_at) VALUES ('default', '{}', 0);

ALTER TABLE role ADD COLUMN tenant_id text NOT NULL DEFAULT 'default';
CREATE INDEX role_tenant ON role (tenant_id, role_id);
-- `public_key` is empty once a role is revoked or erased; `former_key` is what it was, for a revoked one.
ALTER TABLE role ADD COLUMN former_key text;
ALTER TABLE role ADD COLUMN grace_key text;
ALTER TABLE role ADD COLUMN grace_until bigint;
ALTER TABLE role ADD COLUMN recovery_key text;
ALTER TABLE role ADD COLUMN revoked_at bigint;
ALTER TABLE role ADD COLUMN erased_at bigint;

-- Codes are kept as their SHA-256, as tokens are.
CREATE TABLE invitation (
    code_hash  text PRIMARY KEY,
    tenant_id  text NOT NULL REFERENCES tenant (tenant_id),
    uses_left  bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

CREATE TABLE recovery_code (
    code_hash  text PRIMARY KEY,
    role_id    text NOT NULL REFERENCES role (role_id),
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);

-- Who did what and when to roles, tenants and invitations; no secret and no text ever stands in here.
CREATE TABLE audit (
    number    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at        bigint NOT NULL,
    actor     text NOT NULL,
    action    text NOT NULL,
    role_id   text,
    tenant_id text,
    detail    text
);
CREATE INDEX audit_role ON audit (role_id, number);

ALTER TABLE message ADD COLUMN erased_at bigint;
ALTER TABLE contact ADD COLUMN erased_at bigint;
-- How many contacts a role has opened and not closed is counted from here.
CREATE INDEX contact_mine_open ON contact (opener) WHERE closed_at IS NULL;
