-- name: last
-- The newest packet of a conversation.
SELECT number, source, message_id, profile, bytes AS raw, created_at FROM packet
WHERE target = :target ORDER BY number DESC LIMIT 1

-- name: last_of
-- The newest packet that one source wrote in a conversation.
SELECT number, source, message_id, profile, bytes AS raw, created_at FROM packet
WHERE target = :target AND source = :source ORDER BY number DESC LIMIT 1

-- name: add
-- Keep one packet.
INSERT INTO packet (target, number, source, message_id, profile, bytes, created_at)
VALUES (:target, :number, :source, :message_id, :profile, :raw, :now)

-- name: of
-- The packets of a conversation in order.
SELECT number, source, message_id, profile, bytes AS raw, created_at FROM packet WHERE target = :target ORDER BY number

-- name: targets
-- The conversations that left a packet.
SELECT DISTINCT target FROM packet ORDER BY target
