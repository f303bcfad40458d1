-- name: keep
-- Keep one piece of raw evidence, unless this decision has its fill of them.
INSERT INTO evidence (correlation_id, kind, body, kept_at, until)
SELECT :correlation_id, :kind, :body, :now, :until
WHERE (SELECT count(*) FROM evidence WHERE correlation_id = :correlation_id) < :most

-- name: of
-- What is kept of one decision and not over yet, oldest first.
SELECT correlation_id, kind, body, kept_at, until FROM evidence
WHERE correlation_id = :correlation_id AND until > :now ORDER BY id

-- name: prune
-- Forget what has been kept long enough.
DELETE FROM evidence WHERE until <= :now
