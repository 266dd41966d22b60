-- name: InsertWorkspace :exec
INSERT INTO workspaces (id, name, environment, kyb_status, modules, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO NOTHING;

-- name: Workspace :one
SELECT * FROM workspaces WHERE id = $1;

-- name: ClaimKeyHash :execrows
INSERT INTO api_key_directory (hash, workspace_id, key_id)
VALUES ($1, $2, $3)
ON CONFLICT (hash) DO NOTHING;

-- name: InsertKey :exec
INSERT INTO api_keys (workspace_id, id, name, hash, prefix, last_four, scopes, environment,
    limit_standard, limit_financial, created_at, expires_at, revoked_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- name: KeyByHash :one
SELECT sqlc.embed(k), w.modules, w.kyb_status
FROM api_key_directory d
JOIN api_keys k ON k.workspace_id = d.workspace_id AND k.id = d.key_id
JOIN workspaces w ON w.id = d.workspace_id
WHERE d.hash = $1;
