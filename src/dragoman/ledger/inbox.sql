-- name: add
-- A message that was fetched for the first time; one that is known already is left alone.
INSERT INTO inbound (id, target, position, raw, state, reason, turn_id, lease, acked, received_at, updated_at)
VALUES (:id, :target, :position, :raw, :state, :reason, :turn_id, :lease, 0, :now, :now)
ON CONFLICT (id) DO NOTHING

-- name: find
-- One message.
SELECT * FROM inbound WHERE id = :id

-- name: lease
-- A known message was leased again.
UPDATE inbound SET lease = :lease, updated_at = :now WHERE id = :id

-- name: move
-- A message changes its state; a message that was handled never does.
UPDATE inbound SET state = :state, reason = :reason, turn_id = :turn_id, raw = CASE WHEN :drop_raw THEN NULL ELSE raw END,
                   updated_at = :now
WHERE id = :id AND state <> 'done'

-- name: reread
-- A deferred message came again with its words.
UPDATE inbound SET raw = :raw WHERE id = :id AND raw IS NULL

-- name: of_turn
-- The messages of a turn, in order.
SELECT * FROM inbound WHERE turn_id = :turn_id ORDER BY position, id

-- name: waits
-- Whether anything is deferred for a reason.
SELECT id FROM inbound WHERE state = 'deferred' AND reason = :reason LIMIT 1

-- name: in_state
-- The messages of a conversation in one state, in order.
SELECT * FROM inbound WHERE target = :target AND state = :state ORDER BY position, id

-- name: unacked
-- Messages that are settled here and whose source was not told.
SELECT * FROM inbound WHERE acked = 0 AND state IN ('done', 'kept', 'silent') ORDER BY target, position LIMIT 500

-- name: acked
-- The source was told.
UPDATE inbound SET acked = 1, updated_at = :now WHERE id = :id

-- name: count
-- How many messages stand where.
SELECT state, count(*) AS n FROM inbound GROUP BY state ORDER BY state

-- name: after
-- Whether anything came in after a moment.
SELECT 1 FROM inbound WHERE target = :target AND received_at > :since LIMIT 1

-- name: targets
-- The conversations that have a message in one state.
SELECT DISTINCT target FROM inbound WHERE state = :state
