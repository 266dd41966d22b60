-- name: ClaimAnswers :many
-- The row is claimed before the work and filled after it, so that a second
-- caller of the key waits at the row. One that is too old is taken over. Rows
-- that are answered already are not among those returned, which come with the
-- database's time. More rows can be claimed at once, see sqldb.Repeat.
INSERT INTO idempotency (workspace_id, key_hash, request, status, sealed, created_at)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('key_hash'), sqlc.arg('request'), 0, sqlc.arg('sealed'), sqlc.arg('now'))
ON CONFLICT (workspace_id, key_hash) DO UPDATE
SET request = excluded.request, status = excluded.status, sealed = excluded.sealed, created_at = excluded.created_at
WHERE idempotency.created_at <= sqlc.arg('since')
RETURNING key_hash, CAST((SELECT c.at FROM database_clock c) AS BIGINT) AS claimed_at;

-- name: UnclaimAnswer :exec
-- Gives a row back that the transaction has claimed.
DELETE FROM idempotency WHERE workspace_id = sqlc.arg('workspace_id') AND key_hash = sqlc.arg('key_hash');

-- name: FillAnswers :exec
-- Fills rows that the transaction has claimed: each is there, and only its answer changes.
INSERT INTO idempotency (workspace_id, key_hash, request, status, sealed, created_at)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('key_hash'), '', sqlc.arg('status'), sqlc.arg('sealed'), 0)
ON CONFLICT (workspace_id, key_hash) DO UPDATE SET status = excluded.status, sealed = excluded.sealed;

-- name: Answer :one
SELECT * FROM idempotency WHERE workspace_id = sqlc.arg('workspace_id') AND key_hash = sqlc.arg('key_hash') AND created_at > sqlc.arg('since');

-- name: DropAnswers :exec
DELETE FROM idempotency WHERE created_at < $1;
