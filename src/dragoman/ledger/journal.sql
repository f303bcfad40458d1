-- name: head
-- The newest record.
SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1

-- name: append
-- Add one record after the newest.
INSERT INTO journal (seq, body, hash) VALUES (:seq, :body, :hash)

-- name: page
-- The next records after one number, up to another, in order.
SELECT seq, body, hash FROM journal WHERE seq > :after AND seq <= :last ORDER BY seq LIMIT :limit

-- name: of
-- The records of one correlation id, in order.
SELECT seq, body FROM journal WHERE correlation_id = :correlation_id ORDER BY seq

-- name: last_of_kind
-- The newest correlation id that a decision was recorded under.
SELECT correlation_id FROM journal WHERE json_extract(body, '$.kind') IN ('event', 'output') ORDER BY seq DESC LIMIT 1

-- name: newest
-- The newest records of one kind (or of every kind), newest first.
SELECT body FROM journal
WHERE :kind = '' OR json_extract(body, '$.kind') = :kind
ORDER BY seq DESC LIMIT :limit

-- name: paths
-- Each consumer path with how often and when it was last exercised.
SELECT consumer, count(*) AS times, max(json_extract(body, '$.time')) AS last
FROM journal WHERE consumer <> '' GROUP BY consumer ORDER BY consumer
