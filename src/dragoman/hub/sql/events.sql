-- The event stream of each role.

-- name: event_known
-- Which of these happenings a role was told already.
SELECT role_id, kind, key FROM event WHERE role_id = :role_id AND kind = :kind AND key = :key;

-- name: event_next
-- The next number of a role's stream; nobody else adds to it until the transaction ends.
INSERT INTO event_head (role_id, last_seq) VALUES (:role_id, 1)
ON CONFLICT (role_id) DO UPDATE SET last_seq = event_head.last_seq + 1 RETURNING role_id, last_seq;

-- name: event_add
-- A new event; no row when the role was told of it before.
INSERT INTO event (role_id, seq, kind, key, facts, created_at)
VALUES (:role_id, :seq, :kind, :key, :facts, :now) ON CONFLICT DO NOTHING;

-- name: event_list
-- A role's events after a number.
SELECT seq, kind, facts, created_at FROM event
WHERE role_id = :role_id AND seq > :after AND (absent(:kinds) OR kind IN each(:kinds)) ORDER BY seq LIMIT :limit;

-- name: event_waiting
-- A waiting reader's whole look: whom the token speaks for, that role's fence, and whether there is anything new.
SELECT s.token_hash, s.role_id, s.instance_id, s.generation, s.expires_at,
       r.generation AS role_generation, r.primary_instance,
       EXISTS (SELECT 1 FROM event e WHERE e.role_id = s.role_id AND e.seq > :after
                 AND (absent(:kinds) OR e.kind IN each(:kinds))) AS waiting
FROM session s JOIN role r USING (role_id)
WHERE s.token_hash = :token_hash;

-- name: event_trim
-- Forgets a role's oldest events of one kind beyond a number.
DELETE FROM event WHERE role_id = :role_id AND kind = :kind AND seq <= (
    SELECT seq FROM event WHERE role_id = :role_id AND kind = :kind ORDER BY seq DESC LIMIT 1 OFFSET :keep);

-- name: event_sweep
-- Forgets events of all roles that are old.
DELETE FROM event WHERE created_at < :before;

-- name: event_sweep (postgres)
WITH old AS MATERIALIZED (SELECT role_id, seq FROM event WHERE created_at < :before FOR UPDATE SKIP LOCKED)
DELETE FROM event e USING old WHERE e.role_id = old.role_id AND e.seq = old.seq;

-- name: event_erase
-- Forgets a role's stream.
DELETE FROM event WHERE role_id = :role_id;
