-- name: get
-- One value.
SELECT value FROM meta WHERE key = :key

-- name: put
-- Set one value.
INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value
