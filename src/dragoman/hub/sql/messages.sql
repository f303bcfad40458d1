-- Messages, and what a poll may take of them.

-- name: message_add
-- A new message.
INSERT INTO message (message_id, contact_id, seq, sender, recipient, reply_id, digest, text, packet, complete, created_at)
VALUES (:message_id, :contact_id, :seq, :sender, :recipient, :reply_id, :digest, :text, :packet, :complete, :now);

-- name: message_known
-- Messages under these reply ids: pairs of a sender and its id. Two lists would look for every sender under every id.
SELECT sender, message_id, contact_id, reply_id, seq, created_at, digest FROM message
WHERE (sender, reply_id) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:pairs));

-- name: message_known (postgres)
SELECT m.sender, m.message_id, m.contact_id, m.reply_id, m.seq, m.created_at, m.digest
FROM unnest(:senders::text[], :reply_ids::text[]) AS p (sender, reply_id)
JOIN message m ON m.sender = p.sender AND m.reply_id = p.reply_id;

-- name: message_list
-- A contact's messages of both sides after a sequence number, as long as their texts are kept.
SELECT message_id, contact_id, seq, sender, reply_id, text, packet, complete, created_at, erased_at FROM message
WHERE contact_id = :contact_id AND seq > :after AND created_at > :oldest ORDER BY seq LIMIT :limit;

-- name: message_waiting
-- An idle poll's whole look: whom the token speaks for, that role's fence, and whether anything can be leased now.
SELECT s.token_hash, s.role_id, s.instance_id, s.generation, s.expires_at,
       r.generation AS role_generation, r.primary_instance, t.tenant_id, t.limits, t.suspended_at,
       EXISTS (
           SELECT 1 FROM message m LEFT JOIN lease l USING (lease_token)
           WHERE m.recipient = s.role_id AND m.acked_at IS NULL AND m.not_before <= :now AND m.created_at > :oldest
             AND (l.lease_token IS NULL OR l.expires_at <= :now OR l.generation <> r.generation)
             AND (absent(:contact_ids) OR m.contact_id IN each(:contact_ids))
             AND (absent(:message_ids) OR m.message_id IN each(:message_ids))) AS waiting
FROM session s JOIN role r USING (role_id) JOIN tenant t USING (tenant_id)
WHERE s.token_hash = :token_hash;

-- name: message_leasable
-- What can be leased now, oldest first: not settled, due, not expired, under no live lease (as `rules.lease_live`).
SELECT CAST(:ask AS INTEGER) AS ask,
       m.message_id, m.contact_id, m.seq, m.sender, m.reply_id, m.text, m.packet, m.complete, m.created_at,
       m.erased_at, m.lease_token AS held_by, l.lease_token AS lease_seen
FROM message m LEFT JOIN lease l USING (lease_token)
WHERE m.recipient = :role_id AND m.acked_at IS NULL AND m.not_before <= :now AND m.created_at > :oldest
  AND (l.lease_token IS NULL OR l.expires_at <= :now OR l.generation <> :generation)
  AND (absent(:contact_ids) OR m.contact_id IN each(:contact_ids))
  AND (absent(:message_ids) OR m.message_id IN each(:message_ids))
ORDER BY m.number LIMIT :limit {FOR NO KEY UPDATE OF m SKIP LOCKED};

-- name: message_hold
-- Puts messages under a lease.
UPDATE message SET lease_token = :lease_token WHERE message_id IN each(:message_ids) AND acked_at IS NULL;

-- name: message_held
-- The named messages, as a settling needs them; nobody else settles or leases them until the transaction ends.
SELECT message_id, recipient, lease_token, acked_at FROM message
WHERE message_id IN each(:message_ids) ORDER BY number {FOR NO KEY UPDATE};

-- name: message_ack
-- Settles messages for good.
UPDATE message SET acked_at = :now
WHERE message_id IN each(:message_ids) AND lease_token = :lease_token AND acked_at IS NULL;

-- name: message_release
-- Frees messages, to be leased again from a moment on.
UPDATE message SET lease_token = NULL, not_before = :not_before
WHERE message_id IN each(:message_ids) AND lease_token = :lease_token AND acked_at IS NULL;

-- name: message_nth_in_contact
-- When a role sent its message so many before its newest in a contact.
SELECT CAST(:ask AS INTEGER) AS ask, created_at FROM message
WHERE contact_id = :contact_id AND sender = :sender ORDER BY seq DESC LIMIT 1 OFFSET :before;

-- name: message_nth_of_role
-- When a role sent its message so many before its newest anywhere.
SELECT CAST(:ask AS INTEGER) AS ask, created_at FROM message
WHERE sender = :sender ORDER BY created_at DESC LIMIT 1 OFFSET :before;
