-- name: last
-- The newest packet of a conversation.
SELECT sequence, message_id FROM packet WHERE target = :target ORDER BY sequence DESC LIMIT 1

-- name: add
-- Keep one packet.
INSERT INTO packet (target, sequence, message_id, profile, bytes, created_at)
VALUES (:target, :sequence, :message_id, :profile, :bytes, :now)

-- name: of
-- The packets of a conversation in order.
SELECT sequence, message_id, profile, bytes FROM packet WHERE target = :target ORDER BY sequence
