-- name: InsertRecipient :exec
INSERT INTO recipients (workspace_id, id, name, folded_name, email, owner_type, street, city, state, postal_code, country,
    is_self, status, pending_reason, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- name: Recipient :one
SELECT * FROM recipients WHERE workspace_id = $1 AND id = $2;

-- name: HoldRecipient :one
UPDATE recipients SET updated_at = updated_at WHERE workspace_id = $1 AND id = $2 RETURNING *;

-- name: UpdateRecipient :exec
UPDATE recipients
SET name = sqlc.arg('name'), folded_name = sqlc.arg('folded_name'), email = sqlc.arg('email'), status = sqlc.arg('status'),
    pending_reason = sqlc.arg('pending_reason'), updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id');

-- name: ListRecipients :many
SELECT * FROM recipients WHERE workspace_id = $1;

-- name: CountRecipients :one
SELECT COUNT(*) FROM recipients WHERE workspace_id = $1;
