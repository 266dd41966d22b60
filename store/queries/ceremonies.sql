-- name: InsertCeremony :exec
INSERT INTO ceremonies (token_hash, workspace_id, kind, subject, email, created_at, expires_at, finished_at, given,
    return_url, return_state)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: Ceremony :one
SELECT * FROM ceremonies WHERE token_hash = $1;

-- name: TryCeremony :execrows
UPDATE ceremonies SET given = sqlc.arg('given') WHERE token_hash = sqlc.arg('token_hash') AND finished_at = 0;

-- name: FinishCeremony :exec
-- Only the first one that gets through is remembered.
UPDATE ceremonies SET finished_at = sqlc.arg('at'), given = sqlc.arg('given')
WHERE token_hash = sqlc.arg('token_hash') AND finished_at = 0;

-- name: DeclineCeremony :execrows
-- Nothing but this decline may have been handed in before.
UPDATE ceremonies SET finished_at = sqlc.arg('at'), declined = 1, given = sqlc.arg('given')
WHERE token_hash = sqlc.arg('token_hash') AND finished_at = 0 AND (given = '' OR given = sqlc.arg('given'));

-- name: DropCeremonies :exec
DELETE FROM ceremonies WHERE expires_at < $1;
