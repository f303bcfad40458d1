-- Every statement of the hub on SQLite. Each begins with `-- name:`, then a sentence.

-- name: meta_get
-- A value of the installation.
SELECT value FROM meta WHERE key = :key;

-- name: role_add
-- A new role; a known one stays as it is.
INSERT INTO role (role_id, public_key, created_at) VALUES (:role_id, :public_key, :now) ON CONFLICT DO NOTHING;

-- name: role_get
-- A role with its fence.
SELECT role_id, public_key, created_at, generation, primary_instance FROM role WHERE role_id = :role_id;

-- name: role_fence
-- A new primary instance and generation; a generation never falls.
UPDATE role SET generation = :generation, primary_instance = :primary_instance
WHERE role_id = :role_id AND generation <= :generation;

-- name: nonce_use
-- Marks a nonce as used; no row when it was used before.
INSERT INTO used_nonce (nonce, expires_at) VALUES (:nonce, :expires_at) ON CONFLICT DO NOTHING;

-- name: nonce_sweep
-- Forgets nonces that have expired anyway.
DELETE FROM used_nonce WHERE expires_at < :now;

-- name: session_add
-- A token, by its hash.
INSERT INTO session (token_hash, role_id, instance_id, generation, expires_at)
VALUES (:token_hash, :role_id, :instance_id, :generation, :expires_at);

-- name: session_get
-- Whom a token speaks for, and that role's fence.
SELECT s.role_id, s.instance_id, s.generation, s.expires_at, r.generation AS role_generation, r.primary_instance
FROM session s JOIN role r USING (role_id)
WHERE s.token_hash = :token_hash;

-- name: session_sweep
-- Forgets tokens that ended more than a day ago; until then they are told that they expired.
DELETE FROM session WHERE expires_at < :before;

-- name: session_trim
-- Forgets a role's tokens beyond a number, those first that end first.
DELETE FROM session WHERE token_hash IN (
    SELECT token_hash FROM session WHERE role_id = :role_id ORDER BY expires_at DESC, token_hash LIMIT -1 OFFSET :keep);

-- name: contact_add
-- A new contact.
INSERT INTO contact (contact_id, opener, peer, open_id, created_at)
VALUES (:contact_id, :opener, :peer, :open_id, :now);

-- name: contact_opened
-- The contact that this role opened under this id.
SELECT * FROM contact WHERE opener = :opener AND open_id = :open_id;

-- name: contact_get
-- A contact, if this role is one of its two.
SELECT * FROM contact WHERE contact_id = :contact_id AND (opener = :role_id OR peer = :role_id);

-- name: contact_list
-- This role's contacts, oldest first.
SELECT * FROM contact WHERE opener = :role_id AND number > :after
UNION ALL
SELECT * FROM contact WHERE peer = :role_id AND number > :after
ORDER BY number LIMIT :limit;

-- name: contact_close
-- Closes an open contact.
UPDATE contact SET closed_at = :now WHERE contact_id = :contact_id AND closed_at IS NULL;

-- name: contact_next_seq
-- Takes the next message number of a contact.
UPDATE contact SET last_seq = last_seq + 1 WHERE contact_id = :contact_id RETURNING last_seq;

-- name: message_add
-- A new message.
INSERT INTO message (message_id, contact_id, seq, sender, recipient, reply_id, digest, text, packet, complete, created_at)
VALUES (:message_id, :contact_id, :seq, :sender, :recipient, :reply_id, :digest, :text, :packet, :complete, :now);

-- name: message_replied
-- What this role sent under this reply id.
SELECT message_id, contact_id, reply_id, seq, created_at, digest FROM message
WHERE sender = :sender AND reply_id = :reply_id;

-- name: message_list
-- A contact's messages of both sides after a sequence number.
SELECT message_id, contact_id, seq, sender, reply_id, text, packet, complete, created_at FROM message
WHERE contact_id = :contact_id AND seq > :after ORDER BY seq LIMIT :limit;

-- name: message_waiting
-- Whether anything can be leased now; the cheap look of an idle poll.
SELECT 1 FROM message m LEFT JOIN lease l USING (lease_token)
WHERE m.recipient = :role_id AND m.acked_at IS NULL AND m.not_before <= :now
  AND (l.lease_token IS NULL OR l.expires_at <= :now OR l.generation <> :generation)
  AND (:contact_ids IS NULL OR m.contact_id IN (SELECT value FROM json_each(:contact_ids)))
  AND (:message_ids IS NULL OR m.message_id IN (SELECT value FROM json_each(:message_ids)))
LIMIT 1;

-- name: message_leasable
-- What can be leased now, oldest first: not acked, due, and under no live lease (as `rules.lease_live`).
SELECT m.message_id, m.contact_id, m.seq, m.sender, m.reply_id, m.text, m.packet, m.complete, m.created_at
FROM message m LEFT JOIN lease l USING (lease_token)
WHERE m.recipient = :role_id AND m.acked_at IS NULL AND m.not_before <= :now
  AND (l.lease_token IS NULL OR l.expires_at <= :now OR l.generation <> :generation)
  AND (:contact_ids IS NULL OR m.contact_id IN (SELECT value FROM json_each(:contact_ids)))
  AND (:message_ids IS NULL OR m.message_id IN (SELECT value FROM json_each(:message_ids)))
ORDER BY m.number LIMIT :limit;

-- name: message_hold
-- Puts messages under a lease.
UPDATE message SET lease_token = :lease_token
WHERE message_id IN (SELECT value FROM json_each(:message_ids)) AND acked_at IS NULL;

-- name: message_held
-- The named messages of this role, as a settling needs them.
SELECT message_id, lease_token, acked_at FROM message
WHERE message_id IN (SELECT value FROM json_each(:message_ids)) AND recipient = :role_id;

-- name: message_ack
-- Settles messages for good.
UPDATE message SET acked_at = :now
WHERE message_id IN (SELECT value FROM json_each(:message_ids)) AND lease_token = :lease_token AND acked_at IS NULL;

-- name: message_release
-- Frees messages, to be leased again from a moment on.
UPDATE message SET lease_token = NULL, not_before = :not_before
WHERE message_id IN (SELECT value FROM json_each(:message_ids)) AND lease_token = :lease_token AND acked_at IS NULL;

-- name: lease_add
-- A new lease.
INSERT INTO lease (lease_token, role_id, generation, expires_at, cap_at)
VALUES (:lease_token, :role_id, :generation, :expires_at, :cap_at);

-- name: lease_get
-- A lease of this role.
SELECT lease_token, generation, expires_at, cap_at FROM lease WHERE lease_token = :lease_token AND role_id = :role_id;

-- name: lease_move
-- Moves a lease's end.
UPDATE lease SET expires_at = :expires_at WHERE lease_token = :lease_token;

-- name: lease_sweep
-- Forgets this role's leases that can never be live again.
DELETE FROM lease WHERE role_id = :role_id AND cap_at < :now;

-- name: contact_waiting
-- Per receiver, how many messages of a contact are not acked, and how many of those are under a live lease.
SELECT m.recipient, count(*) AS waiting,
       coalesce(sum(l.expires_at > :now AND l.generation = r.generation), 0) AS leased
FROM message m JOIN role r ON r.role_id = m.recipient LEFT JOIN lease l USING (lease_token)
WHERE m.contact_id = :contact_id AND m.acked_at IS NULL
GROUP BY m.recipient;

-- name: contact_completed
-- Whether the newest message of either side carries `complete`.
SELECT 1 FROM contact c
WHERE c.contact_id = :contact_id AND (
    (SELECT complete FROM message WHERE contact_id = c.contact_id AND sender = c.opener ORDER BY seq DESC LIMIT 1)
    OR (SELECT complete FROM message WHERE contact_id = c.contact_id AND sender = c.peer ORDER BY seq DESC LIMIT 1));
