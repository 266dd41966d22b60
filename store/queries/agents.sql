-- name: InsertAgentDraft :exec
INSERT INTO agent_drafts (workspace_id, request_id, description, asked, created_at) VALUES ($1, $2, $3, $4, $5);

-- name: AgentDraft :one
SELECT * FROM agent_drafts WHERE workspace_id = $1 AND request_id = $2;

-- name: InsertAgent :execrows
INSERT INTO agents (workspace_id, id, sub_organization_id, wallet_id, name, folded_name, description, asked, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: KeepAgentSecret :exec
UPDATE agents SET secret_proof = sqlc.arg('secret_proof'), secret_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND secret_at <= sqlc.arg('at');

-- name: DeleteAgent :exec
UPDATE agents SET deleted = 1 WHERE workspace_id = $1 AND id = $2;

-- name: Agent :one
SELECT * FROM agents WHERE workspace_id = $1 AND id = $2 AND deleted = 0;

-- name: NoteAgentSubject :exec
INSERT INTO agent_subjects (workspace_id, subject, agent_id) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id, subject) DO NOTHING;

-- The lists below are the beginnings of queries: lists.go adds conditions, order and page.

-- name: ListAgents :many
SELECT * FROM agents WHERE workspace_id = $1 AND deleted = 0;

-- name: CountAgents :one
SELECT COUNT(*) FROM agents WHERE workspace_id = $1 AND deleted = 0;
