-- name: file
-- File one draft.
INSERT INTO draft (id, target, text, sha256, epoch, reason, topics, correlation_id, state, approvable, filed_at, expires_at,
                   operator, nonce, reply_id, thread, body, updated_at)
VALUES (:id, :target, :text, :sha256, :epoch, :reason, :topics, :correlation_id, :state, :approvable, :filed_at,
        :expires_at, :operator, :nonce, :reply_id, :thread, :body, :filed_at)

-- name: find
-- One draft.
SELECT * FROM draft WHERE id = :id

-- name: list
-- Drafts, oldest first; those of one state, or all when it is empty.
SELECT * FROM draft WHERE :state = '' OR state = :state ORDER BY filed_at, id

-- name: approve
-- filed -> approved, for exactly this text, before expiry, only if it can be approved at all.
UPDATE draft SET state = 'approved', operator = :operator, nonce = :nonce, expires_at = :expires_at, updated_at = :now
WHERE id = :id AND state = 'filed' AND approvable = 1 AND sha256 = :sha256 AND expires_at > :now

-- name: reject
-- filed or approved -> rejected.
UPDATE draft SET state = 'rejected', operator = :operator, updated_at = :now
WHERE id = :id AND state IN ('filed', 'approved')

-- name: claim
-- approved -> claimed, once, for the same text and epoch, before expiry.
UPDATE draft SET state = 'claimed', updated_at = :now
WHERE id = :id AND state = 'approved' AND sha256 = :sha256 AND epoch = :epoch AND expires_at > :now

-- name: settle
-- claimed or uncertain -> what became of it.
UPDATE draft SET state = :state, updated_at = :now WHERE id = :id AND state IN ('claimed', 'uncertain')

-- name: expire
-- filed or approved -> expired, once its time is over.
UPDATE draft SET state = 'expired', updated_at = :now WHERE state IN ('filed', 'approved') AND expires_at <= :now
RETURNING id

-- name: confirm
-- uncertain -> what the operator says: it arrived, or it waits for a new approval.
UPDATE draft SET state = :state, operator = :operator, nonce = '', updated_at = :now,
                 expires_at = CASE WHEN :state = 'filed' THEN :expires_at ELSE expires_at END
WHERE id = :id AND state = 'uncertain'

-- name: interrupted
-- What was claimed when the process died: nobody knows what became of it.
UPDATE draft SET state = 'uncertain', updated_at = :now WHERE state = 'claimed' RETURNING id

-- name: unattended
-- Drafts that wait for long, and of which the owner was not told lately; a mark from the future counts as none.
SELECT * FROM draft
WHERE state = 'filed' AND filed_at <= :filed_before AND (pinged_at <= :pinged_before OR pinged_at > :now)
ORDER BY filed_at, id

-- name: pinged
-- The owner was reminded.
UPDATE draft SET pinged_at = :now WHERE id = :id
