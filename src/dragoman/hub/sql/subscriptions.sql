-- Saved searches.

-- name: subscription_add
-- A new subscription; no row when its role has the same already.
INSERT INTO subscription (subscription_id, role_id, kind, query, tags, tokens, anchor, created_at)
VALUES (:subscription_id, :role_id, :kind, :query, :tags, :tokens, :anchor, :now) ON CONFLICT DO NOTHING;

-- name: subscription_known
-- The subscription of a role that asks for these tokens.
SELECT subscription_id, role_id, kind, query, tags, tokens, created_at FROM subscription
WHERE role_id = :role_id AND kind = :kind AND tokens = :tokens;

-- name: subscription_list
-- A role's subscriptions, oldest first.
SELECT subscription_id, role_id, kind, query, tags, tokens, created_at FROM subscription
WHERE role_id = :role_id ORDER BY number;

-- name: subscription_drop
-- Ends a subscription.
DELETE FROM subscription WHERE subscription_id = :subscription_id AND role_id = :role_id;

-- name: subscription_candidates
-- Subscriptions whose anchor an entry holds, of other roles with no block between them and the entry's.
SELECT s.subscription_id, s.role_id, s.tokens FROM subscription s
WHERE s.kind = :kind AND s.anchor IN each(:tokens) AND s.role_id <> :role_id
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocker = :role_id AND b.blocked = s.role_id)
  AND NOT EXISTS (SELECT 1 FROM block b WHERE b.blocked = :role_id AND b.blocker = s.role_id);

-- name: subscription_erase
-- Forgets a role's saved searches.
DELETE FROM subscription WHERE role_id = :role_id;
