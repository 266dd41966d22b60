-- name: KeepPolicy :execrows
-- Of two words of the enclave the later one stands, in whichever order they come. The same word again repairs the row. A
-- name stays until there is another.
INSERT INTO policies (workspace_id, id, sub_organization_id, wallet_id, name, policy, proof, seq, deleted, created_at)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('id'), sqlc.arg('sub_organization_id'), sqlc.arg('wallet_id'),
    sqlc.arg('name'), sqlc.arg('policy'), sqlc.arg('proof'), sqlc.arg('seq'), sqlc.arg('deleted'),
    sqlc.arg('created_at'))
ON CONFLICT (workspace_id, id) DO UPDATE
SET name = COALESCE(NULLIF(excluded.name, ''), policies.name), policy = excluded.policy, proof = excluded.proof,
    seq = excluded.seq, deleted = excluded.deleted
WHERE policies.seq <= excluded.seq OR policies.seq = sqlc.arg('replaces');

-- name: NamePolicy :exec
UPDATE policies SET name = $3 WHERE workspace_id = $1 AND id = $2 AND name = '';

-- name: RenamePolicy :execrows
UPDATE policies SET name = $3 WHERE workspace_id = $1 AND id = $2 AND deleted = 0;

-- name: Policy :one
SELECT * FROM policies WHERE workspace_id = $1 AND id = $2;

-- name: PoliciesOf :many
SELECT * FROM policies WHERE workspace_id = $1 AND sub_organization_id = $2 ORDER BY created_at, id;

-- name: KeepConfig :execrows
INSERT INTO approval_configs (workspace_id, sub_organization_id, config, proof, seq, updated_at)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('sub_organization_id'), sqlc.arg('config'), sqlc.arg('proof'),
    sqlc.arg('seq'), sqlc.arg('updated_at'))
ON CONFLICT (workspace_id, sub_organization_id) DO UPDATE
SET config = excluded.config, proof = excluded.proof, seq = excluded.seq, updated_at = excluded.updated_at
WHERE approval_configs.seq <= excluded.seq OR approval_configs.seq = sqlc.arg('replaces');

-- name: ApprovalConfig :one
SELECT * FROM approval_configs WHERE workspace_id = $1 AND sub_organization_id = $2;

-- name: InsertDenial :execrows
INSERT INTO denials (workspace_id, id, sub_organization_id, wallet_id, transaction_id, policy_id, layer, rule, severity,
    field, observed, limited_to, payee, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: RemovePasskey :many
DELETE FROM passkeys WHERE workspace_id = $1 AND sub_organization_id = $2 AND credential_id = $3
RETURNING id, label;

-- The lists below are the beginnings of queries: lists.go adds conditions, order and page.

-- name: ListPolicies :many
SELECT * FROM policies WHERE workspace_id = $1;

-- name: CountPolicies :one
SELECT COUNT(*) FROM policies WHERE workspace_id = $1;

-- name: ListDenials :many
SELECT * FROM denials WHERE workspace_id = $1;

-- name: CountDenials :one
SELECT COUNT(*) FROM denials WHERE workspace_id = $1;
