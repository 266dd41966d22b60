-- name: InsertSkill :exec
INSERT INTO skills (workspace_id, id, environment, name, description, url, method, auth_type, auth_sealed, is_public, subtype,
    cost_usdc, pay_to, network, schema_input, schema_output, health, failures, http_status, latency_ms, reason, checked_at,
    due_at, created_at, updated_at, deleted_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26);

-- name: PublishSkill :exec
INSERT INTO public_skills (id, workspace_id, environment) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING;

-- name: HideSkill :exec
DELETE FROM public_skills WHERE id = $1;

-- name: Skill :one
SELECT * FROM skills WHERE workspace_id = $1 AND id = $2;

-- name: PublicSkill :one
SELECT s.* FROM public_skills p JOIN skills s ON s.workspace_id = p.workspace_id AND s.id = p.id
WHERE p.id = $1 AND p.environment = $2;

-- name: HoldSkill :one
UPDATE skills SET updated_at = updated_at WHERE workspace_id = $1 AND id = $2 RETURNING *;

-- name: UpdateSkill :exec
UPDATE skills
SET name = sqlc.arg('name'), description = sqlc.arg('description'), url = sqlc.arg('url'), method = sqlc.arg('method'),
    auth_type = sqlc.arg('auth_type'), auth_sealed = sqlc.arg('auth_sealed'), is_public = sqlc.arg('is_public'),
    subtype = sqlc.arg('subtype'), cost_usdc = sqlc.arg('cost_usdc'), pay_to = sqlc.arg('pay_to'), network = sqlc.arg('network'),
    schema_input = sqlc.arg('schema_input'), schema_output = sqlc.arg('schema_output'), health = sqlc.arg('health'),
    failures = sqlc.arg('failures'), http_status = sqlc.arg('http_status'), latency_ms = sqlc.arg('latency_ms'),
    reason = sqlc.arg('reason'), checked_at = sqlc.arg('checked_at'), due_at = sqlc.arg('due_at'),
    updated_at = sqlc.arg('updated_at'), deleted_at = sqlc.arg('deleted_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: CountOwnSkills :one
SELECT COUNT(*) FROM skills WHERE workspace_id = $1 AND deleted_at = 0;

-- name: ClaimSkillCheck :execrows
UPDATE skills SET due_at = sqlc.arg('until')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND due_at = sqlc.arg('due_at');

-- name: SkillChecked :execrows
UPDATE skills
SET health = sqlc.arg('health'), failures = sqlc.arg('failures'), http_status = sqlc.arg('http_status'),
    latency_ms = sqlc.arg('latency_ms'), reason = sqlc.arg('reason'), checked_at = sqlc.arg('checked_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND due_at = sqlc.arg('due_at');

-- name: UncheckedSkills :many
SELECT * FROM skills
WHERE (workspace_id, id) IN (SELECT p.workspace_id, p.id FROM public_skills p) AND due_at < sqlc.arg('before')
ORDER BY due_at LIMIT sqlc.arg('most');

-- name: AddTool :execrows
INSERT INTO agent_tools (workspace_id, agent_id, skill_id, skill_workspace_id, added_at, removed_at)
VALUES ($1, $2, $3, $4, $5, 0)
ON CONFLICT (workspace_id, agent_id, skill_id) DO UPDATE SET added_at = excluded.added_at, removed_at = 0
WHERE agent_tools.removed_at > 0;

-- name: RemoveTool :exec
UPDATE agent_tools SET removed_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND agent_id = sqlc.arg('agent_id') AND skill_id = sqlc.arg('skill_id')
  AND removed_at = 0;

-- name: Tool :one
SELECT t.added_at, t.removed_at, sqlc.embed(s) FROM agent_tools t
JOIN skills s ON s.workspace_id = t.skill_workspace_id AND s.id = t.skill_id
WHERE t.workspace_id = $1 AND t.agent_id = $2 AND t.skill_id = $3;

-- name: Tools :many
SELECT t.added_at, t.removed_at, sqlc.embed(s) FROM agent_tools t
JOIN skills s ON s.workspace_id = t.skill_workspace_id AND s.id = t.skill_id
WHERE t.workspace_id = $1 AND t.agent_id = $2 AND t.removed_at = 0
ORDER BY t.added_at DESC, t.skill_id DESC;

-- name: CountTools :one
SELECT COUNT(*) FROM agent_tools WHERE workspace_id = $1 AND agent_id = $2 AND removed_at = 0;

-- The lists below are the beginnings of queries: conditions, order and page are added.

-- name: ListSkills :many
SELECT * FROM skills
WHERE (workspace_id, id) IN (
    SELECT o.workspace_id, o.id FROM skills o WHERE o.workspace_id = $1
    UNION SELECT p.workspace_id, p.id FROM public_skills p WHERE p.environment = $2) AND deleted_at = 0;

-- name: CountSkills :one
SELECT COUNT(*) FROM skills
WHERE (workspace_id, id) IN (
    SELECT o.workspace_id, o.id FROM skills o WHERE o.workspace_id = $1
    UNION SELECT p.workspace_id, p.id FROM public_skills p WHERE p.environment = $2) AND deleted_at = 0;

-- name: ListBazaar :many
SELECT * FROM skills
WHERE (workspace_id, id) IN (SELECT p.workspace_id, p.id FROM public_skills p WHERE p.environment = $1)
  AND health = 'healthy' AND cost_usdc > 0;

-- name: CountBazaar :one
SELECT COUNT(*) FROM skills
WHERE (workspace_id, id) IN (SELECT p.workspace_id, p.id FROM public_skills p WHERE p.environment = $1)
  AND health = 'healthy' AND cost_usdc > 0;
