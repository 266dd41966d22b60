-- name: InsertApproval :execrows
INSERT INTO approvals (workspace_id, id, kind, subject, activity, sub_organization_id, wallet_id, fingerprint, reason,
    requester, requested_by, cost_usd, required, votes, state, comment, proof, created_at, updated_at, expires_at, resolved_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
ON CONFLICT (workspace_id, id) DO NOTHING;

-- name: Approval :one
SELECT * FROM approvals WHERE workspace_id = $1 AND id = $2;

-- name: MoveApproval :execrows
UPDATE approvals
SET state = sqlc.arg('to_state'), votes = sqlc.arg('votes'), required = sqlc.arg('required'), comment = sqlc.arg('comment'),
    updated_at = sqlc.arg('now'), resolved_at = sqlc.arg('resolved_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = sqlc.arg('from_state') AND resolved_at = 0;

-- name: WaitingApprovals :many
SELECT * FROM approvals
WHERE state = sqlc.arg('state') AND resolved_at = 0 AND updated_at < sqlc.arg('before')
  AND (updated_at > sqlc.arg('after') OR (updated_at = sqlc.arg('after') AND id > sqlc.arg('after_id')))
ORDER BY updated_at, id LIMIT sqlc.arg('most');

-- name: ListApprovals :many
-- The store adds conditions, order and page.
SELECT * FROM approvals WHERE workspace_id = $1;

-- name: CountApprovals :one
SELECT COUNT(*) FROM approvals WHERE workspace_id = $1;
