-- name: find
-- How a message was decided, and how often.
SELECT reason, times FROM seen WHERE dedupe_key = :dedupe_key

-- name: decided
-- Remember a decision.
INSERT INTO seen (dedupe_key, outcome, reason, times, decided_at, facts)
VALUES (:dedupe_key, :outcome, :reason, 1, :now, :facts)
ON CONFLICT (dedupe_key) DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, times = times + 1,
                                       decided_at = excluded.decided_at, facts = excluded.facts

-- name: twin
-- What a silent copy said.
SELECT facts FROM seen WHERE dedupe_key = :dedupe_key

-- name: pauses
-- The pauses that bear on a target; `*` is everywhere.
SELECT target FROM pause WHERE target IN ('*', :target) LIMIT 1

-- name: paused_targets
-- Every pause.
SELECT target, since FROM pause ORDER BY target

-- name: pause
-- Pause here.
INSERT INTO pause (target, since) VALUES (:target, :now) ON CONFLICT (target) DO NOTHING

-- name: resume
-- End a pause.
DELETE FROM pause WHERE target = :target

-- name: colleague
-- When a human of ours last wrote in a target.
SELECT wrote_at FROM colleague WHERE target = :target

-- name: colleague_wrote
-- Remember that a human of ours wrote.
INSERT INTO colleague (target, wrote_at) VALUES (:target, :now)
ON CONFLICT (target) DO UPDATE SET wrote_at = max(wrote_at, excluded.wrote_at)
