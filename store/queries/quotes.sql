-- name: InsertQuotes :exec
INSERT INTO quotes (workspace_id, id, recipient_id, bank_account_id, withdraw_address_id, asked, asked_currency, source, destination,
    gross, network_fee, platform_fee, net, midmarket, sell, spread, published_at, fetched_at, created_at, expires_at,
    funding, funding_currency)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22);

-- name: Quote :one
SELECT * FROM quotes WHERE workspace_id = $1 AND id = $2;

-- name: Quoted :one
-- A quote, whom and what it is for, and its order where there is one.
SELECT sqlc.embed(q), sqlc.embed(r), sqlc.embed(a), sqlc.embed(w), CAST(COALESCE(o.body, '') AS TEXT) AS executed
FROM quotes q
JOIN recipients r ON r.workspace_id = q.workspace_id AND r.id = q.recipient_id
JOIN bank_accounts a ON a.workspace_id = q.workspace_id AND a.id = q.bank_account_id
JOIN withdraw_addresses w ON w.workspace_id = q.workspace_id AND w.id = q.withdraw_address_id
LEFT JOIN orders o ON o.workspace_id = q.workspace_id AND o.quote_id = q.id AND o.quote_id <> ''
WHERE q.workspace_id = $1 AND q.id = $2;

-- name: HoldBalance :one
UPDATE ledger_balances SET posted = posted WHERE workspace_id = $1 AND account = $2 AND currency = $3
RETURNING posted, pending_in, pending_out;
