-- name: open
-- A turn begins, charged for its first attempt.
INSERT INTO turn (id, target, grant_id, generation, correlation_id, admission, attempts, state, next_at, failure, note,
                  created_at, updated_at)
VALUES (:id, :target, :grant_id, :generation, :correlation_id, :admission, :attempts, :state, 0, '', :note, :now, :now)

-- name: find
-- One turn.
SELECT * FROM turn WHERE id = :id

-- name: unsettled
-- Turns that are not over, oldest first.
SELECT * FROM turn WHERE state NOT IN ('settled', 'parked') ORDER BY created_at, id

-- name: of
-- The unsettled turn of a conversation.
SELECT * FROM turn WHERE target = :target AND state NOT IN ('settled', 'parked') ORDER BY created_at, id LIMIT 1

-- name: latest
-- The newest turn of a conversation, over or not.
SELECT * FROM turn WHERE target = :target ORDER BY created_at DESC, id DESC LIMIT 1

-- name: attempt
-- One more charged attempt begins.
UPDATE turn SET attempts = attempts + 1, state = 'running', generation = :generation, grant_id = :grant_id, updated_at = :now
WHERE id = :id AND state = 'waiting'

-- name: move
-- A turn changes its state.
UPDATE turn SET state = :state, next_at = :next_at, failure = :failure, updated_at = :now
WHERE id = :id AND state NOT IN ('settled', 'parked')

-- name: decide
-- Keep what was decided; there is one decision per turn that was not denied.
INSERT INTO decision (turn_id, reply_id, target, action, text, complete, owner_summary, topics, state, draft_id, evidence,
                      retry_at, decided_at, sent_at)
VALUES (:turn_id, :reply_id, :target, :action, :text, :complete, :owner_summary, :topics, :state, '', '', 0, :now, 0)

-- name: decision
-- The decision of a turn that still counts.
SELECT * FROM decision WHERE turn_id = :turn_id AND state <> 'denied'

-- name: by_reply
-- The decision behind a reply id.
SELECT * FROM decision WHERE reply_id = :reply_id

-- name: mark
-- A decision moves on; what was sent stays sent.
UPDATE decision SET state = :state, draft_id = CASE WHEN :draft_id = '' THEN draft_id ELSE :draft_id END,
                    evidence = CASE WHEN :evidence = '' THEN evidence ELSE :evidence END, retry_at = :retry_at,
                    sent_at = CASE WHEN :state = 'sent' THEN :now ELSE sent_at END
WHERE reply_id = :reply_id AND state <> 'sent'

-- name: in_state
-- The decisions in one state, oldest first.
SELECT * FROM decision WHERE state = :state ORDER BY decided_at, turn_id

-- name: last_sent
-- The newest reply of a conversation that was sent.
SELECT * FROM decision WHERE target = :target AND state = 'sent' ORDER BY sent_at DESC LIMIT 1

-- name: newest
-- The newest decisions of a conversation, newest first.
SELECT * FROM decision WHERE target = :target ORDER BY decided_at DESC LIMIT :limit

-- name: count
-- How many decisions stand where.
SELECT state, count(*) AS n FROM decision GROUP BY state ORDER BY state
