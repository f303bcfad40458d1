-- The directory: stalls and delegations, and the index that they are searched by.

-- name: entry_add
-- A new version of an entry; its number makes it the newest.
INSERT INTO entry (entry_id, kind, role_id, publish_id, version, title, text, tags, state, expires_at, created_at,
                   updated_at, day_began, day_changes)
VALUES (:entry_id, :kind, :role_id, :publish_id, :version, :title, :text, :tags, :state, :expires_at, :created_at,
        :updated_at, :day_began, :day_changes);

-- name: entry_index
-- Lets an entry be found.
INSERT INTO entry_index (rowid, tokens)
SELECT number, (SELECT group_concat(value, ' ') FROM each(:tokens)) FROM entry WHERE entry_id = :entry_id;

-- name: entry_index (postgres)
INSERT INTO entry_index (number, tokens) SELECT number, :tokens::text[] FROM entry WHERE entry_id = :entry_id;

-- name: entry_unindex
-- Lets an entry not be found.
DELETE FROM entry_index WHERE rowid = (SELECT number FROM entry WHERE entry_id = :entry_id);

-- name: entry_unindex (postgres)
DELETE FROM entry_index WHERE number = (SELECT number FROM entry WHERE entry_id = :entry_id);

-- name: entry_drop
-- Removes a version of an entry, of which nothing is indexed any more.
DELETE FROM entry WHERE entry_id = :entry_id;

-- name: entry_close
-- Closes an open entry.
UPDATE entry SET state = 'closed', updated_at = :now WHERE entry_id = :entry_id AND state = 'open';

-- name: entry_get
-- An entry by its id.
SELECT number, entry_id, kind, role_id, publish_id, version, title, text, tags, state, expires_at, created_at,
       updated_at, day_began, day_changes
FROM entry WHERE entry_id = :entry_id AND kind = :kind;

-- name: entry_stall
-- A role's stall.
SELECT number, entry_id, kind, role_id, publish_id, version, title, text, tags, state, expires_at, created_at,
       updated_at, day_began, day_changes
FROM entry WHERE role_id = :role_id AND kind = 'stall';

-- name: entry_published
-- What a role published under this id.
SELECT number, entry_id, kind, role_id, publish_id, version, title, text, tags, state, expires_at, created_at,
       updated_at, day_began, day_changes
FROM entry WHERE role_id = :role_id AND publish_id = :publish_id;

-- name: entry_of_role
-- A role's entries of one kind, newest first.
SELECT number, entry_id, kind, role_id, publish_id, version, title, text, tags, state, expires_at, created_at,
       updated_at, day_began, day_changes
FROM entry WHERE role_id = :role_id AND kind = :kind AND number < :before ORDER BY number DESC LIMIT :limit;

-- name: entry_counts
-- How many entries of a kind a role has, and how many of them stand open.
SELECT count(*) AS every,
       coalesce(sum(CASE WHEN state = 'open' AND expires_at > :now THEN 1 ELSE 0 END), 0) AS standing
FROM entry WHERE role_id = :role_id AND kind = :kind;

-- name: entry_ended
-- A role's delegations that ended before a moment.
SELECT entry_id FROM entry
WHERE role_id = :role_id AND kind = 'delegation' AND expires_at < :before AND updated_at < :before;

-- name: directory_erase
-- Lets nothing of a role be found.
DELETE FROM entry_index WHERE rowid IN (SELECT number FROM entry WHERE role_id = :role_id);

-- name: directory_erase (postgres)
DELETE FROM entry_index WHERE number IN (SELECT number FROM entry WHERE role_id = :role_id);

-- name: directory_index_erase
-- SQLite's index keeps the words of what was deleted until its segments are merged; this merges them all.
INSERT INTO entry_index (entry_index) VALUES ('optimize');

-- name: directory_index_erase (postgres)
DELETE FROM entry_index WHERE false;

-- name: entry_erase
-- Forgets what a role published.
DELETE FROM entry WHERE role_id = :role_id;

-- name: entry_search
-- Open entries that hold every token, newest first; not those of roles with a block between them and the caller.
SELECT e.number, e.entry_id, e.kind, e.role_id, e.publish_id, e.version, e.title, e.text, e.tags, e.state, e.expires_at,
       e.created_at, e.updated_at
FROM entry_index i JOIN entry e ON e.number = i.rowid
WHERE entry_index MATCH (SELECT group_concat('"' || value || '"', ' AND ') FROM each(:tokens))
  AND i.rowid < :before AND e.kind = :kind AND (e.expires_at IS NULL OR e.expires_at > :now)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocker = :role_id AND b.blocked = e.role_id)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocked = :role_id AND b.blocker = e.role_id)
ORDER BY i.rowid DESC LIMIT :limit;

-- name: entry_search (postgres)
-- The index first, whatever the planner thinks: to read the newest entries until enough of them match can mean all.
WITH i AS MATERIALIZED (SELECT number FROM entry_index WHERE tokens @> :tokens::text[] AND number < :before)
SELECT e.number, e.entry_id, e.kind, e.role_id, e.publish_id, e.version, e.title, e.text, e.tags, e.state, e.expires_at,
       e.created_at, e.updated_at
FROM i JOIN entry e USING (number)
WHERE e.kind = :kind AND (e.expires_at IS NULL OR e.expires_at > :now)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocker = :role_id AND b.blocked = e.role_id)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocked = :role_id AND b.blocker = e.role_id)
ORDER BY i.number DESC LIMIT :limit;

-- name: entry_newest
-- The same for a search that asks for no token.
SELECT e.number, e.entry_id, e.kind, e.role_id, e.publish_id, e.version, e.title, e.text, e.tags, e.state, e.expires_at,
       e.created_at, e.updated_at
FROM entry e
WHERE e.kind = :kind AND e.state = 'open' AND e.number < :before AND (e.expires_at IS NULL OR e.expires_at > :now)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocker = :role_id AND b.blocked = e.role_id)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocked = :role_id AND b.blocker = e.role_id)
ORDER BY e.number DESC LIMIT :limit;
