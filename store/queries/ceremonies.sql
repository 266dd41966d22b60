-- name: InsertCeremony :exec
INSERT INTO ceremonies (token_hash, workspace_id, kind, subject, email, created_at, expires_at, finished_at, given)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: Ceremony :one
SELECT * FROM ceremonies WHERE token_hash = $1;

-- name: TryCeremony :exec
UPDATE ceremonies SET given = sqlc.arg('given') WHERE token_hash = sqlc.arg('token_hash') AND finished_at = 0;

-- name: FinishCeremony :exec
-- Only the first one that gets through is remembered.
UPDATE ceremonies SET finished_at = sqlc.arg('at'), given = sqlc.arg('given')
WHERE token_hash = sqlc.arg('token_hash') AND finished_at = 0;

-- name: DropCeremonies :exec
DELETE FROM ceremonies WHERE expires_at < $1;
