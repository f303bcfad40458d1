-- name: count
-- One counter.
SELECT n FROM spend WHERE pool = :pool AND key = :key

-- name: add
-- One more, if the counter is still below the limit; no row comes back when it is not.
INSERT INTO spend (pool, key, n) SELECT :pool, :key, 1 WHERE :ceiling > 0
ON CONFLICT (pool, key) DO UPDATE SET n = n + 1 WHERE n < :ceiling
RETURNING n

-- name: last_day
-- The latest day that anything was charged on: the last line's, since no charge is written on an earlier day.
SELECT day FROM spend_log ORDER BY seq DESC LIMIT 1

-- name: log
-- What was charged, for good.
INSERT INTO spend_log (seq, grant_id, target, day, total, on_target, today, charged_at)
VALUES ((SELECT coalesce(max(seq), 0) + 1 FROM spend_log), :grant_id, :target, :day, :total, :on_target, :today, :now)

-- name: counts
-- Every counter.
SELECT pool, key, n FROM spend ORDER BY pool, key

-- name: use
-- Remember a grant's purpose and scope at its first use.
INSERT INTO used_grant (id, purpose, digest, first_used_at) VALUES (:id, :purpose, :digest, :now)
ON CONFLICT (id) DO NOTHING

-- name: used
-- One grant that was used here.
SELECT id, purpose, digest, first_used_at FROM used_grant WHERE id = :id

-- name: accept
-- A contact that a peer opened is taken on under this grant.
INSERT INTO accepted (grant_id, target, since) VALUES (:grant_id, :target, :now) ON CONFLICT DO NOTHING

-- name: accepted
-- The contacts that a grant took on.
SELECT target FROM accepted WHERE grant_id = :grant_id ORDER BY target
