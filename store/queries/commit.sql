-- name: ClaimAnswer :execrows
-- The row is claimed before the work and filled after it, so that a second
-- caller of the key waits at the row. One that is too old is taken over.
INSERT INTO idempotency (workspace_id, key_hash, request, status, sealed, created_at)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('key_hash'), sqlc.arg('request'), 0, sqlc.arg('sealed'), sqlc.arg('now'))
ON CONFLICT (workspace_id, key_hash) DO UPDATE
SET request = excluded.request, status = excluded.status, sealed = excluded.sealed, created_at = excluded.created_at
WHERE idempotency.created_at <= sqlc.arg('since');

-- name: FillAnswer :exec
UPDATE idempotency SET status = $3, sealed = $4 WHERE workspace_id = $1 AND key_hash = $2;

-- name: Answer :one
SELECT * FROM idempotency WHERE workspace_id = sqlc.arg('workspace_id') AND key_hash = sqlc.arg('key_hash') AND created_at > sqlc.arg('since');

-- name: DropAnswers :exec
DELETE FROM idempotency WHERE created_at < $1;
