-- name: InsertWorkspace :exec
INSERT INTO workspaces (id, name, environment, kyb_status, modules, created_at, email, kyb_reason, updated_at, folded_name, folded_email)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (id) DO NOTHING;

-- name: Workspace :one
SELECT * FROM workspaces WHERE id = $1;

-- name: HoldWorkspace :one
-- Who holds a workspace decides by its row and by its keys alone.
UPDATE workspaces SET updated_at = updated_at WHERE id = $1 RETURNING *;

-- name: UpdateWorkspace :exec
UPDATE workspaces
SET name = sqlc.arg('name'), folded_name = sqlc.arg('folded_name'), email = sqlc.arg('email'), folded_email = sqlc.arg('folded_email'),
    kyb_status = sqlc.arg('kyb_status'), kyb_reason = sqlc.arg('kyb_reason'), modules = sqlc.arg('modules'),
    agent_limit_standard = sqlc.arg('agent_limit_standard'), agent_limit_financial = sqlc.arg('agent_limit_financial'), updated_at = sqlc.arg('updated_at')
WHERE id = sqlc.arg('id');

-- name: ListWorkspaces :many
SELECT * FROM workspaces WHERE environment = $1;

-- name: CountWorkspaces :one
SELECT COUNT(*) FROM workspaces WHERE environment = $1;

-- name: ClaimKeyHash :execrows
INSERT INTO api_key_directory (hash, workspace_id, key_id)
VALUES ($1, $2, $3)
ON CONFLICT (hash) DO NOTHING;

-- name: InsertKey :exec
INSERT INTO api_keys (workspace_id, id, name, description, hash, prefix, last_four, scopes, environment,
    limit_standard, limit_financial, networks, created_at, expires_at, revoked_at, last_used_at, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17);

-- name: KeyByHash :one
SELECT sqlc.embed(k), w.modules, w.kyb_status
FROM api_key_directory d
JOIN api_keys k ON k.workspace_id = d.workspace_id AND k.id = d.key_id
JOIN workspaces w ON w.id = d.workspace_id
WHERE d.hash = $1;

-- name: Key :one
SELECT * FROM api_keys WHERE workspace_id = $1 AND id = $2;

-- name: ListKeys :many
SELECT * FROM api_keys WHERE workspace_id = $1;

-- name: ActiveKeysMadeBy :many
SELECT * FROM api_keys
WHERE workspace_id = sqlc.arg('workspace_id') AND created_by = sqlc.arg('created_by') AND revoked_at = 0
    AND (expires_at = 0 OR expires_at > sqlc.arg('now'))
ORDER BY created_at, id;

-- name: CountKeys :one
SELECT COUNT(*) FROM api_keys WHERE workspace_id = $1;

-- name: CountActiveKeys :one
SELECT COUNT(*) FROM api_keys
WHERE workspace_id = sqlc.arg('workspace_id') AND revoked_at = 0 AND (expires_at = 0 OR expires_at > sqlc.arg('now'));

-- name: RevokeKey :execrows
UPDATE api_keys SET revoked_at = sqlc.arg('at') WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND revoked_at = 0;

-- name: TouchKey :exec
UPDATE api_keys SET last_used_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND last_used_at < sqlc.arg('at');
