-- The life of role keys, the end of roles, and the record of both.

-- name: key_rotate
-- A new key; the old one is good until the end of its grace.
UPDATE role SET public_key = :public_key, grace_key = :grace_key, grace_until = :grace_until WHERE role_id = :role_id;

-- name: key_recovery
-- The key that may replace the role's key.
UPDATE role SET recovery_key = :recovery_key WHERE role_id = :role_id;

-- name: key_revoke
-- No key is good any more; a hub of any version sees one that fits no signature.
UPDATE role SET public_key = '', former_key = :former_key, grace_key = NULL, grace_until = NULL, revoked_at = :now,
    generation = generation + 1, primary_instance = NULL
WHERE role_id = :role_id;

-- name: key_recover
-- A new key in the place of all others; whoever logs in first is primary under a new generation.
UPDATE role SET public_key = :public_key, former_key = NULL, grace_key = NULL, grace_until = NULL, revoked_at = NULL,
    generation = generation + 1, primary_instance = NULL
WHERE role_id = :role_id;

-- name: recovery_code_add
-- A one-time code by which the operator lets a role have a new key.
INSERT INTO recovery_code (code_hash, role_id, created_at, expires_at)
VALUES (:code_hash, :role_id, :now, :expires_at);

-- name: recovery_code_use
-- Uses a code up; no row changes when it is none of this role or has ended.
DELETE FROM recovery_code WHERE code_hash = :code_hash AND role_id = :role_id AND expires_at > :now;

-- name: recovery_code_end
-- Ends every code of a role that is held, and every one whose time is over.
DELETE FROM recovery_code WHERE role_id = :role_id OR code_hash IN (
    SELECT code_hash FROM recovery_code WHERE expires_at <= :now {FOR UPDATE SKIP LOCKED});

-- name: role_erase
-- What is left of an erased role: its id, so that nobody becomes it again, and a generation that grows.
UPDATE role SET public_key = '', former_key = NULL, grace_key = NULL, grace_until = NULL, recovery_key = NULL,
    revoked_at = coalesce(revoked_at, :now), erased_at = :now, generation = generation + 1, primary_instance = NULL
WHERE role_id = :role_id;

-- name: message_erase
-- Takes the words out of everything that a role sent; nobody is to fetch what is left. `digest` told of the words too.
-- The ids that take the place of the reply ids are drawn, so that nobody can have minted one of them to be in the way.
UPDATE message SET text = '', packet = NULL, digest = '', reply_id = 'erased_' || lower(hex(randomblob(32))),
    erased_at = :now, acked_at = coalesce(acked_at, :now)
WHERE sender = :role_id AND erased_at IS NULL;

-- name: message_erase (postgres)
UPDATE message SET text = '', packet = NULL, digest = '',
    reply_id = 'erased_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
    erased_at = :now, acked_at = coalesce(acked_at, :now)
WHERE sender = :role_id AND erased_at IS NULL;

-- name: contact_erase
-- Closes a role's contacts and says why; what it called those that it opened was a word of its own.
UPDATE contact SET closed_at = coalesce(closed_at, :now), erased_at = coalesce(erased_at, :now),
    open_id = CASE WHEN opener = :role_id THEN 'erased_' || lower(hex(randomblob(32))) ELSE open_id END
WHERE opener = :role_id OR peer = :role_id;

-- name: contact_erase (postgres)
UPDATE contact SET closed_at = coalesce(closed_at, :now), erased_at = coalesce(erased_at, :now),
    open_id = CASE WHEN opener = :role_id THEN
        'erased_' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') ELSE open_id END
WHERE opener = :role_id OR peer = :role_id;

-- name: contact_peers
-- Who is to be woken when a role ends.
SELECT CASE WHEN opener = :role_id THEN peer ELSE opener END AS role_id FROM contact
WHERE (opener = :role_id OR peer = :role_id) AND closed_at IS NULL;

-- name: erasing_contacts
-- Holds a role's contacts in the order in which sends hold them.
SELECT count(*) AS held FROM (
    SELECT contact_id FROM contact WHERE opener = :role_id OR peer = :role_id ORDER BY contact_id {FOR UPDATE}) AS mine;

-- name: erasing_messages
-- Holds what a role sent in the order in which acks hold it.
SELECT count(*) AS held FROM (
    SELECT number FROM message WHERE sender = :role_id ORDER BY number {FOR UPDATE}) AS mine;

-- name: lease_erase
-- A role that is no more holds nothing.
DELETE FROM lease WHERE role_id = :role_id;

-- name: audit_add
-- Who did what.
INSERT INTO audit (at, actor, action, role_id, tenant_id, detail)
VALUES (:at, :actor, :action, :role_id, :tenant_id, :detail);

-- name: audit_list
-- The newest of what was done, newest first.
SELECT number, at, actor, action, role_id, tenant_id, detail FROM audit ORDER BY number DESC LIMIT :limit;
