-- name: ReturnOrigin :one
SELECT * FROM return_origins WHERE workspace_id = $1 AND id = $2;

-- name: ReturnOrigins :many
SELECT * FROM return_origins WHERE workspace_id = $1 AND removed_at = 0 ORDER BY created_at, id;

-- name: CountReturnOrigins :one
SELECT COUNT(*) FROM return_origins WHERE workspace_id = $1 AND removed_at = 0;

-- name: InsertReturnOrigin :execrows
INSERT INTO return_origins (workspace_id, id, origin, created_by, created_at, removed_at, mailed, updated_at)
VALUES ($1, $2, $3, $4, $5, 0, 0, $6)
ON CONFLICT (workspace_id, id) DO UPDATE SET created_by = excluded.created_by, created_at = excluded.created_at,
    removed_at = 0, mailed = 0, updated_at = excluded.updated_at
WHERE return_origins.removed_at <> 0;

-- name: RemoveReturnOrigin :execrows
UPDATE return_origins SET removed_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND removed_at = 0;

-- name: UnmailedReturnOrigins :many
SELECT * FROM return_origins WHERE mailed = 0 AND updated_at < $1 ORDER BY updated_at, id LIMIT $2;

-- name: NoteReturnOriginMail :exec
UPDATE return_origins SET mailed = sqlc.arg('mailed'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND created_at = sqlc.arg('created_at') AND mailed = 0;

