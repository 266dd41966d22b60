-- name: InsertPasskeyNotice :exec
INSERT INTO passkey_notices (workspace_id, id, sub_organization_id, credential_id, email, noticed_at, mailed, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: PasskeyNotice :one
SELECT * FROM passkey_notices WHERE workspace_id = $1 AND id = $2;

-- name: WaitingPasskeyNotices :many
SELECT * FROM passkey_notices WHERE mailed = 0 AND updated_at < $1 ORDER BY updated_at, id LIMIT $2;

-- name: MovePasskeyNotice :exec
UPDATE passkey_notices SET mailed = sqlc.arg('mailed'), updated_at = sqlc.arg('now')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND mailed = 0;
