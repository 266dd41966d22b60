-- name: InsertBatch :exec
INSERT INTO batches (workspace_id, id, status, row_count, wrong_rows, content, created_at, expires_at, ended_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: InsertBatchRows :exec
-- The beginning of a query: batches.go adds the other rows.
INSERT INTO batch_rows (workspace_id, batch_id, n, quote_id, shown, reference) VALUES ($1, $2, $3, $4, $5, $6);

-- name: HoldBatches :exec
-- Other calls of the workspace that do the same wait until the transaction ends.
UPDATE workspaces SET updated_at = updated_at WHERE id = $1;

-- name: PaidReferences :many
-- Rows that became orders, but for those whose money did not arrive. The references are added.
SELECT b.reference, o.reference AS order_reference, o.created_at
FROM batch_rows b JOIN orders o ON o.workspace_id = b.workspace_id AND o.quote_id = b.quote_id
WHERE b.workspace_id = $1 AND b.quote_id <> '' AND o.quote_id <> ''
  AND o.status NOT IN ('canceled', 'expired', 'returned', 'error');

-- name: PaidRecipients :many
-- Quotes that became orders, likewise. The recipients are added.
SELECT q.recipient_id, q.asked, q.asked_currency, o.reference AS order_reference, o.created_at,
    CAST(COALESCE(b.reference, '') AS TEXT) AS reference
FROM orders o JOIN quotes q ON q.workspace_id = o.workspace_id AND q.id = o.quote_id
LEFT JOIN batch_rows b ON b.workspace_id = q.workspace_id AND b.quote_id = q.id AND b.quote_id <> ''
WHERE o.workspace_id = $1 AND o.created_at >= $2 AND o.quote_id <> ''
  AND o.status NOT IN ('canceled', 'expired', 'returned', 'error');

-- name: EndBatch :execrows
UPDATE batches SET status = sqlc.arg('status'), content = sqlc.arg('content'), ended_at = sqlc.arg('ended_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND status = sqlc.arg('was');

-- name: Batch :one
SELECT * FROM batches WHERE workspace_id = $1 AND id = $2;

-- name: CountBatches :one
SELECT CAST(COUNT(*) AS BIGINT) FROM batches WHERE workspace_id = $1;

-- name: ListBatches :many
-- The beginning of a query: order and page are added.
SELECT * FROM batches WHERE workspace_id = $1;

-- name: BatchRows :many
-- The rows of a part of a batch, each with its order where there is one.
SELECT b.n, b.quote_id, b.shown, CAST(COALESCE(o.body, '') AS TEXT) AS executed
FROM batch_rows b
LEFT JOIN orders o ON o.workspace_id = b.workspace_id AND o.quote_id = b.quote_id AND o.quote_id <> ''
WHERE b.workspace_id = sqlc.arg('workspace_id') AND b.batch_id = sqlc.arg('batch_id')
  AND b.n > sqlc.arg('after') AND b.n <= sqlc.arg('until')
ORDER BY b.n;

-- name: PricedRows :many
-- The rows of a batch that have a quote, with what the quote is for.
SELECT b.n, b.quote_id, b.shown, sqlc.embed(q), sqlc.embed(r), sqlc.embed(a), sqlc.embed(w)
FROM batch_rows b
JOIN quotes q ON q.workspace_id = b.workspace_id AND q.id = b.quote_id
JOIN recipients r ON r.workspace_id = q.workspace_id AND r.id = q.recipient_id
JOIN bank_accounts a ON a.workspace_id = q.workspace_id AND a.id = q.bank_account_id
JOIN withdraw_addresses w ON w.workspace_id = q.workspace_id AND w.id = q.withdraw_address_id
WHERE b.workspace_id = $1 AND b.batch_id = $2
ORDER BY b.n;
