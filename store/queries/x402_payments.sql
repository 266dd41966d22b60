-- name: InsertX402Payment :exec
INSERT INTO x402_payments (workspace_id, id, agent_id, state, resource, request, answer, network, transfer, from_address,
    pay_to, facilitator, amount, counted, nonce, reuses, reused_by, since_block, valid_before, signature, tx_hash, moved,
    http_status, delivered, delivery, reason, created_at, updated_at, memo)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, '', $17, 0, '', '', 0, 0, 0, $18, '', $19, $20, $21);

-- name: X402Payment :one
SELECT * FROM x402_payments WHERE workspace_id = $1 AND id = $2;

-- name: SignX402Payment :one
UPDATE x402_payments
SET state = 'signed', valid_before = sqlc.arg('valid_before'), signature = sqlc.arg('signature'),
    last_height = sqlc.arg('last_height'), updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'prepared'
RETURNING *;

-- name: EndX402Payment :one
-- Writes what the chain said, and nothing of what the seller did: another request may be writing that.
UPDATE x402_payments
SET state = sqlc.arg('state'), tx_hash = sqlc.arg('tx_hash'), moved = sqlc.arg('moved'), updated_at = sqlc.arg('updated_at'),
    reason = CASE WHEN CAST(sqlc.arg('state') AS TEXT) = 'settled' THEN reason ELSE CAST(sqlc.arg('reason') AS TEXT) END,
    delivery = CASE WHEN CAST(sqlc.arg('state') AS TEXT) <> 'settled' AND delivery = 'pending' THEN 'undelivered' ELSE delivery END
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'signed'
RETURNING *;

-- name: NoteX402Answer :one
-- Writes what the seller answered, and nothing of what the chain says. The reason for which no money moved stays.
UPDATE x402_payments
SET http_status = sqlc.arg('http_status'), delivered = sqlc.arg('delivered'), delivery = sqlc.arg('delivery'),
    reason = CASE WHEN state = 'unused' OR state = 'void' THEN reason ELSE CAST(sqlc.arg('reason') AS TEXT) END,
    updated_at = sqlc.arg('updated_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND delivery = sqlc.arg('was')
RETURNING *;

-- name: DeleteX402Payment :one
DELETE FROM x402_payments WHERE workspace_id = $1 AND id = $2 AND state = 'prepared'
RETURNING *;

-- name: TakeX402Nonce :execrows
UPDATE x402_payments SET reused_by = sqlc.arg('by')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND state = 'unused' AND reused_by = '';

-- name: FreeX402Nonce :exec
UPDATE x402_payments SET reused_by = ''
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND reused_by = sqlc.arg('by');

-- name: UnusedX402Payments :many
SELECT * FROM x402_payments
WHERE workspace_id = sqlc.arg('workspace_id') AND agent_id = sqlc.arg('agent_id') AND created_at >= sqlc.arg('since')
  AND state = 'unused' AND reused_by = '' AND nonce <> ''
ORDER BY created_at, id LIMIT sqlc.arg('most');

-- name: OpenX402Payments :many
SELECT * FROM x402_payments
WHERE (state = 'prepared' OR state = 'signed' OR (state = 'settled' AND delivery = 'pending')) AND updated_at < sqlc.arg('before')
ORDER BY updated_at LIMIT sqlc.arg('most');

-- The lists below are the beginnings of queries: conditions, order and page are added.

-- name: ListX402Payments :many
SELECT * FROM x402_payments WHERE workspace_id = $1 AND agent_id = $2;

-- name: CountX402Payments :one
SELECT COUNT(*) FROM x402_payments WHERE workspace_id = $1 AND agent_id = $2;
