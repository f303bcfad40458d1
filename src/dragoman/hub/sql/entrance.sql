-- Roles, nonces and tokens.

-- name: meta_get
-- A value of the installation.
SELECT value FROM meta WHERE key = :key;

-- name: role_add
-- A new role; a known one stays as it is.
INSERT INTO role (role_id, public_key, created_at, tenant_id)
VALUES (:role_id, :public_key, :now, :tenant_id) ON CONFLICT DO NOTHING;

-- name: meta_mark
-- Writes when the installation was last found able to write.
INSERT INTO meta (key, value) VALUES ('written_at', :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: role_get
-- A role with its fence.
SELECT role_id, public_key, created_at, generation, primary_instance, tenant_id,
       former_key, grace_key, grace_until, recovery_key, revoked_at, erased_at
FROM role WHERE role_id = :role_id;

-- name: role_hold
-- A role with its fence, which nobody else moves until the transaction ends, and under which nobody else writes.
SELECT role_id, public_key, created_at, generation, primary_instance, tenant_id,
       former_key, grace_key, grace_until, recovery_key, revoked_at, erased_at
FROM role WHERE role_id = :role_id {FOR UPDATE};

-- name: role_hold_each
-- Several roles held so, always in one order.
SELECT role_id FROM role WHERE role_id IN each(:role_ids) ORDER BY role_id {FOR UPDATE};

-- name: role_fence
-- A new primary instance and generation; a generation never falls.
UPDATE role SET generation = :generation, primary_instance = :primary_instance
WHERE role_id = :role_id AND generation <= :generation;

-- name: nonce_use
-- Marks a nonce as used; no row when it was used before.
INSERT INTO used_nonce (nonce, expires_at) VALUES (:nonce, :expires_at) ON CONFLICT DO NOTHING;

-- name: nonce_sweep
-- Forgets nonces that expired a while ago. No sweep waits for a row, so none waits in a circle.
DELETE FROM used_nonce WHERE nonce IN (
    SELECT nonce FROM used_nonce WHERE expires_at < :before {FOR UPDATE SKIP LOCKED});

-- name: session_add
-- A token, by its hash.
INSERT INTO session (token_hash, role_id, instance_id, generation, expires_at)
VALUES (:token_hash, :role_id, :instance_id, :generation, :expires_at);

-- name: session_get
-- Whom tokens speak for, and those roles' fences.
SELECT s.token_hash, s.role_id, s.instance_id, s.generation, s.expires_at,
       r.generation AS role_generation, r.primary_instance, t.tenant_id, t.limits, t.suspended_at
FROM session s JOIN role r USING (role_id) JOIN tenant t USING (tenant_id)
WHERE s.token_hash IN each(:token_hashes);

-- name: session_hold
-- The same, for a write: no takeover can slip in between this look and the commit.
SELECT s.token_hash, s.role_id, s.instance_id, s.generation, s.expires_at,
       r.generation AS role_generation, r.primary_instance, t.tenant_id, t.limits, t.suspended_at
FROM session s JOIN role r USING (role_id) JOIN tenant t USING (tenant_id)
WHERE s.token_hash IN each(:token_hashes) ORDER BY r.role_id {FOR KEY SHARE OF r};

-- name: session_hold_alone
-- The same, for a write that nobody else of these roles may be in the midst of: what it counts or mints stays so.
SELECT s.token_hash, s.role_id, s.instance_id, s.generation, s.expires_at,
       r.generation AS role_generation, r.primary_instance, t.tenant_id, t.limits, t.suspended_at
FROM session s JOIN role r USING (role_id) JOIN tenant t USING (tenant_id)
WHERE s.token_hash IN each(:token_hashes) ORDER BY r.role_id {FOR NO KEY UPDATE OF r};

-- name: session_end
-- Ends every token of a role.
DELETE FROM session WHERE role_id = :role_id;

-- name: session_role
-- The role that a token speaks for now.
SELECT role_id FROM session WHERE token_hash = :token_hash AND expires_at > :now;

-- name: session_sweep
-- Forgets tokens that ended more than a day ago; until then they are told that they expired.
DELETE FROM session WHERE token_hash IN (
    SELECT token_hash FROM session WHERE expires_at < :before {FOR UPDATE SKIP LOCKED});

-- name: session_trim
-- Forgets a role's tokens beyond a number, those first that end first.
DELETE FROM session WHERE token_hash IN (
    SELECT token_hash FROM session WHERE role_id = :role_id ORDER BY expires_at DESC, token_hash LIMIT -1 OFFSET :keep);

-- name: session_trim (postgres)
DELETE FROM session WHERE token_hash IN (
    SELECT token_hash FROM session WHERE role_id = :role_id ORDER BY expires_at DESC, token_hash OFFSET :keep);
