-- name: queue
-- Queue one notification; the same event queues nothing more.
INSERT INTO notification (id, key, target, milestone, summary, state, attempts, created_at, updated_at)
VALUES (:id, :key, :target, :milestone, :summary, :state, 0, :now, :now) ON CONFLICT (key) DO NOTHING

-- name: find
-- One notification.
SELECT * FROM notification WHERE id = :id

-- name: in_state
-- The notifications in one state, or all when it is empty, oldest first.
SELECT * FROM notification WHERE :state = '' OR state = :state ORDER BY created_at, id

-- name: lately
-- How many notifications with this beginning of their key were queued since a moment.
SELECT count(*) AS n FROM notification WHERE substr(key, 1, length(:prefix)) = :prefix AND created_at >= :since

-- name: send
-- queued -> sending.
UPDATE notification SET state = 'sending', attempts = attempts + 1, updated_at = :now WHERE id = :id AND state = 'queued'

-- name: settle
-- sending -> delivered, uncertain or failed; what was delivered drops its words.
UPDATE notification SET state = :state, summary = CASE WHEN :state = 'delivered' THEN '' ELSE summary END, updated_at = :now
WHERE id = :id AND state = 'sending'

-- name: interrupted
-- What was being sent when the process died is uncertain.
UPDATE notification SET state = 'uncertain', updated_at = :now WHERE state = 'sending'

-- name: delivered
-- The owner says that it arrived.
UPDATE notification SET state = 'delivered', summary = '', updated_at = :now
WHERE id = :id AND state IN ('uncertain', 'failed')

-- name: again
-- The owner says that it did not arrive: one more try under the same id.
UPDATE notification SET state = 'queued', updated_at = :now WHERE id = :id AND state IN ('uncertain', 'failed')

-- name: forget
-- Drop the marks of what was delivered long ago.
DELETE FROM notification WHERE state = 'delivered' AND updated_at < :before

-- name: count
-- How many stand where.
SELECT state, count(*) AS n FROM notification GROUP BY state ORDER BY state
