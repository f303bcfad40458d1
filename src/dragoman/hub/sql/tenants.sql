-- Tenants, and the invitations that lead to them.

-- name: tenant_add
-- A new tenant; a known one stays as it is.
INSERT INTO tenant (tenant_id, limits, created_at) VALUES (:tenant_id, :limits, :now) ON CONFLICT DO NOTHING;

-- name: tenant_get
-- One tenant.
SELECT tenant_id, limits, created_at, suspended_at FROM tenant WHERE tenant_id = :tenant_id;

-- name: tenant_hold
-- The same, which nobody else changes until the transaction ends; so its roles are counted one after the other.
SELECT tenant_id, limits, created_at, suspended_at FROM tenant WHERE tenant_id = :tenant_id {FOR NO KEY UPDATE};

-- name: tenant_list
-- Every tenant, with how many roles it has that are neither revoked nor erased.
SELECT t.tenant_id, t.limits, t.created_at, t.suspended_at,
       (SELECT count(*) FROM role r
        WHERE r.tenant_id = t.tenant_id AND r.revoked_at IS NULL AND r.erased_at IS NULL) AS roles
FROM tenant t ORDER BY t.tenant_id;

-- name: tenant_change
-- New limits of a tenant, and whether it is suspended.
UPDATE tenant SET limits = :limits, suspended_at = :suspended_at WHERE tenant_id = :tenant_id;

-- name: tenant_full
-- A row when a tenant has so many roles, or more; those revoked or erased count no more.
SELECT role_id FROM role
WHERE tenant_id = :tenant_id AND revoked_at IS NULL AND erased_at IS NULL LIMIT 1 OFFSET :before;

-- name: invitation_add
-- A new invitation, by the hash of its code.
INSERT INTO invitation (code_hash, tenant_id, uses_left, created_at, expires_at)
VALUES (:code_hash, :tenant_id, :uses_left, :now, :expires_at);

-- name: invitation_use
-- Takes one use of an invitation that is good still; no row changes when it is not.
UPDATE invitation SET uses_left = uses_left - 1
WHERE code_hash = :code_hash AND uses_left > 0 AND expires_at > :now;

-- name: invitation_get
-- The tenant that an invitation leads to.
SELECT tenant_id FROM invitation WHERE code_hash = :code_hash;

-- name: invitation_list
-- Invitations that are good still.
SELECT tenant_id, uses_left, created_at, expires_at FROM invitation
WHERE uses_left > 0 AND expires_at > :now ORDER BY created_at, code_hash;

-- name: invitation_sweep
-- Forgets invitations that nobody can use any more.
DELETE FROM invitation WHERE uses_left <= 0 OR expires_at <= :now;
