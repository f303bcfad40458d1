-- How things stand: conversations, self-reports, pulses, high-water marks.

-- name: standing_newest
-- A role's conversations that are not closed, the newest word first.
SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq FROM (
    SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq,
           coalesce((SELECT m.created_at FROM message m WHERE m.contact_id = c.contact_id AND m.seq = c.last_seq),
                    c.created_at) AS last_word
    FROM contact c WHERE opener = :role_id AND closed_at IS NULL
    UNION ALL
    SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq,
           coalesce((SELECT m.created_at FROM message m WHERE m.contact_id = c.contact_id AND m.seq = c.last_seq),
                    c.created_at) AS last_word
    FROM contact c WHERE peer = :role_id AND closed_at IS NULL) AS mine
ORDER BY last_word DESC, number DESC LIMIT :limit;

-- name: standing_open
-- Per contact and receiver, how many messages are not settled, and how many of those are under a live lease.
SELECT m.contact_id, m.recipient, count(*) AS waiting,
       coalesce(sum(CASE WHEN l.expires_at > :now AND l.generation = r.generation THEN 1 ELSE 0 END), 0) AS leased
FROM message m JOIN role r ON r.role_id = m.recipient LEFT JOIN lease l USING (lease_token)
WHERE m.contact_id IN each(:contact_ids) AND m.acked_at IS NULL
GROUP BY m.contact_id, m.recipient;

-- name: standing_completed
-- Those of these contacts in which the newest message of either side carries `complete`.
SELECT c.contact_id FROM contact c
WHERE c.contact_id IN each(:contact_ids) AND (
    (SELECT complete FROM message WHERE contact_id = c.contact_id AND sender = c.opener ORDER BY seq DESC LIMIT 1) = 1
    OR (SELECT complete FROM message WHERE contact_id = c.contact_id AND sender = c.peer ORDER BY seq DESC LIMIT 1) = 1);

-- name: standing_waits
-- What either side of these contacts reported that it waits for, under its present generation.
SELECT w.contact_id, w.role_id, w.waits_for, w.since
FROM waiting w JOIN role r ON r.role_id = w.role_id AND r.generation = w.generation
WHERE w.contact_id IN each(:contact_ids);

-- name: standing_expired
-- A role's messages in these contacts that expired unread, the newest first.
SELECT contact_id, reply_id FROM message
WHERE contact_id IN each(:contact_ids) AND sender = :role_id AND expired_at IS NOT NULL
ORDER BY expired_at DESC, seq DESC LIMIT :limit;

-- name: standing_reported
-- When the present primary instances of these roles last reported themselves.
SELECT p.role_id, p.reported_at FROM receiver p
JOIN role r ON r.role_id = p.role_id AND r.generation = p.generation AND r.primary_instance = p.instance_id
WHERE p.role_id IN each(:role_ids);

-- name: receiver_get
-- The last self-report of a role, and the fence that it is held against.
SELECT p.instance_id, p.generation, p.reported_at, p.version, p.mode, p.background_at, p.handler_at, p.handler_same,
       p.notifier_at, p.notifier_same, p.scope_until, p.may_reply,
       r.generation AS role_generation, r.primary_instance
FROM receiver p JOIN role r USING (role_id) WHERE p.role_id = :role_id;

-- name: receiver_put
-- A new self-report takes the place of the last one.
INSERT INTO receiver (role_id, instance_id, generation, reported_at, version, mode, background_at, handler_at,
                      handler_same, notifier_at, notifier_same, scope_until, may_reply)
VALUES (:role_id, :instance_id, :generation, :now, :version, :mode, :background_at, :handler_at,
        :handler_same, :notifier_at, :notifier_same, :scope_until, :may_reply)
ON CONFLICT (role_id) DO UPDATE SET
    instance_id = excluded.instance_id, generation = excluded.generation, reported_at = excluded.reported_at,
    version = excluded.version, mode = excluded.mode, background_at = excluded.background_at,
    handler_at = excluded.handler_at, handler_same = excluded.handler_same, notifier_at = excluded.notifier_at,
    notifier_same = excluded.notifier_same, scope_until = excluded.scope_until, may_reply = excluded.may_reply;

-- name: receiver_busy
-- Whether a role holds a message under a live lease of its present generation.
SELECT 1 AS busy FROM lease l JOIN role r ON r.role_id = l.role_id AND r.generation = l.generation
WHERE l.role_id = :role_id AND l.cap_at > :now AND l.expires_at > :now
  AND EXISTS (SELECT 1 FROM message m WHERE m.recipient = l.role_id AND m.acked_at IS NULL
                AND m.lease_token = l.lease_token)
LIMIT 1;

-- name: waiting_of
-- What a role reported that its conversations wait for.
SELECT contact_id, generation, waits_for, since FROM waiting WHERE role_id = :role_id;

-- name: waiting_clear
-- Conversations of a role that wait no longer.
DELETE FROM waiting WHERE role_id = :role_id AND contact_id IN each(:contact_ids);

-- name: waiting_put
-- A conversation of a role waits; of a contact that is not its own nothing is kept.
INSERT INTO waiting (contact_id, role_id, generation, waits_for, since)
SELECT contact_id, :role_id, :generation, :waits_for, :since FROM contact
WHERE contact_id = :contact_id AND (opener = :role_id OR peer = :role_id)
ON CONFLICT (contact_id, role_id) DO UPDATE SET
    generation = excluded.generation, waits_for = excluded.waits_for, since = excluded.since;

-- name: waiting_put (postgres)
INSERT INTO waiting (contact_id, role_id, generation, waits_for, since)
SELECT contact_id, CAST(:role_id AS text), CAST(:generation AS bigint), CAST(:waits_for AS text), CAST(:since AS bigint)
FROM contact WHERE contact_id = :contact_id AND (opener = :role_id OR peer = :role_id)
ON CONFLICT (contact_id, role_id) DO UPDATE SET
    generation = excluded.generation, waits_for = excluded.waits_for, since = excluded.since;

-- name: pulse_get
-- When a role was last heard of, as far as it was written down.
SELECT generation, polled_at FROM pulse WHERE role_id = :role_id;

-- name: pulse_put
-- A role was heard of; a moment that has not come yet was told by a clock that was wrong. Of an erased one nothing is kept.
INSERT INTO pulse (role_id, generation, polled_at)
SELECT role_id, CAST(:generation AS bigint), CAST(:polled_at AS bigint) FROM role
WHERE role_id = :role_id AND erased_at IS NULL
ON CONFLICT (role_id) DO UPDATE SET generation = excluded.generation, polled_at = excluded.polled_at
WHERE excluded.generation > pulse.generation
   OR (excluded.generation = pulse.generation
       AND (excluded.polled_at > pulse.polled_at OR pulse.polled_at > :now));

-- name: mark_get
-- The marks of a role's grant.
SELECT name, ledger_id, n FROM mark WHERE role_id = :role_id AND grant_id = :grant_id ORDER BY name;

-- name: mark_count
-- How many grants a role has marks of.
SELECT count(DISTINCT grant_id) AS n FROM mark WHERE role_id = :role_id;

-- name: mark_raise
-- Raises a mark; a lower one changes nothing, and the ledger of the first word stays.
INSERT INTO mark (role_id, grant_id, name, ledger_id, n) VALUES (:role_id, :grant_id, :name, :ledger_id, :n)
ON CONFLICT (role_id, grant_id, name) DO UPDATE SET n = excluded.n WHERE excluded.n > mark.n;

-- name: receiver_erase
-- What an erased role's receiver said of itself goes.
DELETE FROM receiver WHERE role_id = :role_id;

-- name: waiting_erase
-- So does what it waited for.
DELETE FROM waiting WHERE role_id = :role_id;

-- name: pulse_erase
-- When it was heard of.
DELETE FROM pulse WHERE role_id = :role_id;

-- name: mark_erase
-- And how far its grants were used.
DELETE FROM mark WHERE role_id = :role_id;
