-- Who wants nothing to do with whom.

-- name: block_add
-- A new block; no row when it stands.
INSERT INTO block (blocker, blocked, created_at) VALUES (:blocker, :blocked, :now) ON CONFLICT DO NOTHING;

-- name: block_drop
-- Lifts a block.
DELETE FROM block WHERE blocker = :blocker AND blocked = :blocked;

-- name: block_get
-- A block of a role.
SELECT blocked, created_at FROM block WHERE blocker = :blocker AND blocked = :blocked;

-- name: block_list
-- A role's blocks.
SELECT blocked, created_at FROM block WHERE blocker = :blocker AND blocked > :after ORDER BY blocked LIMIT :limit;

-- name: block_count
-- How many blocks a role has.
SELECT count(*) AS every FROM block WHERE blocker = :blocker;

-- name: block_between
-- Whether either of two roles blocks the other.
SELECT 1 AS stands FROM block WHERE blocker = :one AND blocked = :two
UNION ALL SELECT 1 FROM block WHERE blocker = :two AND blocked = :one;

-- name: block_contacts
-- Those of these contacts whose one role blocks the other.
SELECT c.contact_id FROM contact c JOIN block b ON b.blocker = c.opener AND b.blocked = c.peer
WHERE c.contact_id IN each(:contact_ids)
UNION SELECT c.contact_id FROM contact c JOIN block b ON b.blocker = c.peer AND b.blocked = c.opener
WHERE c.contact_id IN each(:contact_ids);

-- name: block_erase
-- Forgets a role's blocks; those of others against it stay.
DELETE FROM block WHERE blocker = :role_id;
