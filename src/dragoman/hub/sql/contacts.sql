-- Contacts between two roles. Columns are named, here and everywhere: a hub serves on while a newer one adds some.

-- name: contact_add
-- A new contact; no row when its opener has used the open id.
INSERT INTO contact (contact_id, opener, peer, open_id, created_at, delegation_id)
VALUES (:contact_id, :opener, :peer, :open_id, :now, :delegation_id) ON CONFLICT DO NOTHING;

-- name: contact_opened
-- The contact that this role opened under this id.
SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq, delegation_id, erased_at FROM contact
WHERE opener = :opener AND open_id = :open_id;

-- name: contact_get
-- A contact, if this role is one of its two.
SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq, delegation_id, erased_at FROM contact
WHERE contact_id = :contact_id AND (opener = :role_id OR peer = :role_id);

-- name: contact_full
-- A row when a role has so many contacts open that it opened itself, or more.
SELECT number FROM contact WHERE opener = :opener AND closed_at IS NULL LIMIT 1 OFFSET :before;

-- name: contact_list
-- This role's contacts, oldest first.
SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq, delegation_id, erased_at FROM contact
WHERE opener = :role_id AND number > :after
UNION ALL
SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq, delegation_id, erased_at FROM contact
WHERE peer = :role_id AND number > :after
ORDER BY number LIMIT :limit;

-- name: contact_close
-- Closes an open contact.
UPDATE contact SET closed_at = :now WHERE contact_id = :contact_id AND closed_at IS NULL;

-- name: contact_hold
-- Contacts that are about to get messages; nobody else numbers messages in them until the transaction ends.
SELECT number, contact_id, opener, peer, open_id, created_at, closed_at, last_seq, delegation_id, erased_at FROM contact
WHERE contact_id IN each(:contact_ids) ORDER BY contact_id {FOR NO KEY UPDATE};

-- name: contact_seq
-- The newest message number of a contact.
UPDATE contact SET last_seq = :last_seq WHERE contact_id = :contact_id;
