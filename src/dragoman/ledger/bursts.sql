-- name: add
-- One waiting part.
INSERT INTO burst (dedupe_key, buffer, event, arrived_at) VALUES (:dedupe_key, :buffer, :event, :arrived_at)
ON CONFLICT (dedupe_key) DO NOTHING

-- name: of
-- The parts of one buffer.
SELECT event FROM burst WHERE buffer = :buffer ORDER BY arrived_at, dedupe_key

-- name: buffers
-- Where something waits.
SELECT DISTINCT buffer FROM burst ORDER BY buffer

-- name: drop
-- Nothing waits there any more.
DELETE FROM burst WHERE buffer = :buffer

-- name: remove
-- One part was deleted.
DELETE FROM burst WHERE dedupe_key = :dedupe_key
