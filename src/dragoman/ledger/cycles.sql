-- name: start
-- A cycle began.
INSERT INTO cycle (seq, started_at, ended_at, ok, boot_id, started_by)
VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM cycle), :now, 0, 0, :boot_id, :started_by) RETURNING seq

-- name: end
-- A cycle ended.
UPDATE cycle SET ended_at = :now, ok = :ok WHERE seq = :seq

-- name: newest
-- The newest cycles, newest first.
SELECT seq, started_at, ended_at, ok, boot_id, started_by FROM cycle ORDER BY seq DESC LIMIT 50

-- name: forget
-- Drop all but the newest thousand.
DELETE FROM cycle WHERE seq <= (SELECT max(seq) FROM cycle) - 1000

-- name: position
-- Where a source was read up to.
SELECT position FROM source_position WHERE source = :source

-- name: set_position
-- Move on.
INSERT INTO source_position (source, position) VALUES (:source, :position)
ON CONFLICT (source) DO UPDATE SET position = excluded.position
