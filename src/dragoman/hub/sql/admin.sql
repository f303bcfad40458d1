-- What the operator sees and does.

-- name: role_list
-- Roles by id, from one on: with their tenant, their fence, and when their primary instance was last heard of.
SELECT r.role_id, r.tenant_id, r.created_at, r.generation, r.primary_instance, r.revoked_at, r.erased_at,
       CASE WHEN r.recovery_key IS NULL THEN 0 ELSE 1 END AS recovery, p.polled_at,
       (SELECT count(*) FROM contact c WHERE c.opener = r.role_id AND c.closed_at IS NULL)
       + (SELECT count(*) FROM contact c WHERE c.peer = r.role_id AND c.closed_at IS NULL) AS contacts
FROM role r LEFT JOIN pulse p ON p.role_id = r.role_id AND p.generation = r.generation
WHERE r.role_id > :after AND (:tenant_id = '' OR r.tenant_id = :tenant_id)
ORDER BY r.role_id LIMIT :limit;

-- name: restored_roles
-- After a restore nobody is primary, and every generation is beyond any that was given since the backup.
UPDATE role SET generation = generation + :ahead, primary_instance = NULL WHERE generation > 0;

-- name: restored_sessions
-- Ends every token.
DELETE FROM session;

-- name: restored_leases
-- Ends every lease; what was held is free.
DELETE FROM lease;

-- name: restored_invitations
-- Ends every invitation: uses since the backup are not known.
DELETE FROM invitation;

-- name: restored_codes
-- Ends every recovery code, for the same reason.
DELETE FROM recovery_code;
