-- name: keep
-- One text.
INSERT INTO observed (target, author, text, observed_at, until) VALUES (:target, :author, :text, :observed_at, :until)

-- name: of
-- What is kept of one target.
SELECT author, text, observed_at, until FROM observed WHERE target = :target AND until > :now ORDER BY id

-- name: prune
-- What has been kept long enough.
DELETE FROM observed WHERE until <= :now
