-- What time takes away: messages and their proofs, leases.

-- name: upkeep_turn
-- Whether this process may sweep now: on PostgreSQL one at a time may, until its transaction ends.
SELECT 1 AS mine;

-- name: upkeep_turn (postgres)
SELECT 1 AS mine WHERE pg_try_advisory_xact_lock(1146243912, 1);

-- name: upkeep_mark
-- How far a sweep has come.
SELECT value FROM meta WHERE key = :key;

-- name: upkeep_move
-- A sweep has come this far.
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: upkeep_next
-- The next messages in their order of arrival, after a number.
SELECT number, created_at FROM message WHERE number > :after ORDER BY number LIMIT :limit;

-- name: upkeep_held
-- The messages between two numbers; nobody leases, settles or erases any of them until the transaction ends.
SELECT message_id, contact_id, sender, reply_id, acked_at FROM message
WHERE number > :after AND number <= :upto ORDER BY number {FOR NO KEY UPDATE};

-- name: upkeep_expire
-- What nobody settled has expired, and is settled for every reader.
UPDATE message SET expired_at = :now, acked_at = :now WHERE message_id IN each(:message_ids) AND acked_at IS NULL;

-- name: upkeep_strip
-- The words of messages go.
UPDATE message SET text = '', packet = NULL WHERE number > :after AND number <= :upto AND text <> '';

-- name: upkeep_forget
-- Messages go whole, but for the newest of each sender in a contact: whether it was the last word stays known.
DELETE FROM message WHERE number > :after AND number <= :upto AND EXISTS (
    SELECT 1 FROM message n WHERE n.contact_id = message.contact_id AND n.sender = message.sender AND n.seq > message.seq);

-- name: upkeep_leases
-- Leases that can never be live again go, a bounded number at a time.
DELETE FROM lease WHERE lease_token IN (
    SELECT lease_token FROM lease WHERE cap_at < :now ORDER BY cap_at LIMIT :limit {FOR UPDATE SKIP LOCKED});

-- name: upkeep_nonces
-- Used nonces that expired a while ago go.
DELETE FROM used_nonce WHERE nonce IN (
    SELECT nonce FROM used_nonce WHERE expires_at < :before LIMIT :limit {FOR UPDATE SKIP LOCKED});

-- name: upkeep_sessions
-- Tokens that ended a while ago go.
DELETE FROM session WHERE token_hash IN (
    SELECT token_hash FROM session WHERE expires_at < :before LIMIT :limit {FOR UPDATE SKIP LOCKED});
