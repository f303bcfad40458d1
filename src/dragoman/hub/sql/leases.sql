-- Leases, and the tokens that fence them.

-- name: lease_add
-- A new lease.
INSERT INTO lease (lease_token, role_id, generation, expires_at, cap_at)
VALUES (:lease_token, :role_id, :generation, :expires_at, :cap_at);

-- name: lease_get
-- Leases by their tokens.
SELECT lease_token, role_id, generation, expires_at, cap_at FROM lease WHERE lease_token IN each(:lease_tokens);

-- name: lease_move
-- Moves a lease's end.
UPDATE lease SET expires_at = :expires_at WHERE lease_token = :lease_token;

-- name: lease_sweep
-- Forgets leases that can never be live again.
DELETE FROM lease WHERE cap_at < :now;
