-- name: InsertQuote :exec
INSERT INTO quotes (workspace_id, id, recipient_id, bank_account_id, withdraw_address_id, asked, asked_currency, source, destination,
    gross, network_fee, platform_fee, net, midmarket, sell, spread, published_at, fetched_at, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20);

-- name: Quote :one
SELECT * FROM quotes WHERE workspace_id = $1 AND id = $2;

-- name: OrderOfQuote :one
SELECT body FROM orders WHERE workspace_id = $1 AND quote_id = $2 AND quote_id <> '';

-- name: HoldBalance :one
UPDATE ledger_balances SET posted = posted WHERE workspace_id = $1 AND account = $2 AND currency = $3
RETURNING posted, pending_in, pending_out;

-- name: HoldQuote :one
-- Nobody else executes it until the transaction ends.
UPDATE quotes SET expires_at = expires_at WHERE workspace_id = $1 AND id = $2 RETURNING *;
