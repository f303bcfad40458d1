-- name: find
-- Where one conversation stands.
SELECT * FROM conversation WHERE target = :target

-- name: all
-- Every conversation.
SELECT * FROM conversation ORDER BY updated_at DESC, target

-- name: put
-- A conversation stands somewhere else now.
INSERT INTO conversation (target, state, stop_reason, grant_id, summary, note, resolution, reminded, updated_at)
VALUES (:target, :state, :stop_reason, :grant_id, :summary, :note, :resolution, :reminded, :now)
ON CONFLICT (target) DO UPDATE SET state = excluded.state, stop_reason = excluded.stop_reason, grant_id = excluded.grant_id,
    summary = excluded.summary, note = excluded.note, resolution = excluded.resolution, reminded = excluded.reminded,
    updated_at = excluded.updated_at
