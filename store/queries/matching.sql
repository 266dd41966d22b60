-- name: WalletsInUse :many
-- What is compared with the partner, in its order: wallets to which withdrawal addresses lead, deposit accounts, and virtual accounts of recipients.
SELECT x.workspace_id, x.customer_id, x.wallet_id, x.account_id, x.partner_id, x.address_id
FROM (SELECT w.* FROM (
          SELECT b.workspace_id, b.customer_id, b.partner_wallet_id AS wallet_id, '' AS account_id, '' AS partner_id, '' AS address_id,
                 b.partner_wallet_id AS place
          FROM withdraw_addresses b
          WHERE b.status = 'active' AND (b.workspace_id > sqlc.arg('workspace_id') OR b.workspace_id = sqlc.arg('workspace_id') AND b.partner_wallet_id > sqlc.arg('place'))
          GROUP BY b.workspace_id, b.customer_id, b.partner_wallet_id
          ORDER BY b.workspace_id, b.partner_wallet_id LIMIT sqlc.arg('most')) w
      UNION ALL
      SELECT d.* FROM (
          SELECT c.workspace_id, c.customer_id, '' AS wallet_id, c.id AS account_id, c.partner_id, '' AS address_id, c.id AS place
          FROM deposit_accounts c
          WHERE c.partner_id <> '' AND (c.workspace_id > sqlc.arg('workspace_id') OR c.workspace_id = sqlc.arg('workspace_id') AND c.id > sqlc.arg('place'))
          ORDER BY c.workspace_id, c.id LIMIT sqlc.arg('most')) d
      UNION ALL
      SELECT r.* FROM (
          SELECT v.workspace_id, a.customer_id, '' AS wallet_id, v.id AS account_id, v.partner_id, a.id AS address_id, v.id AS place
          FROM virtual_accounts v JOIN withdraw_addresses a ON a.workspace_id = v.workspace_id AND a.id = v.withdraw_address_id
          WHERE v.partner_id <> '' AND (v.workspace_id > sqlc.arg('workspace_id') OR v.workspace_id = sqlc.arg('workspace_id') AND v.id > sqlc.arg('place'))
          ORDER BY v.workspace_id, v.id LIMIT sqlc.arg('most')) r) x
ORDER BY x.workspace_id, x.place LIMIT sqlc.arg('most');

-- name: AddressesOfWallet :many
SELECT * FROM withdraw_addresses WHERE workspace_id = $1 AND partner_wallet_id = $2 ORDER BY id;

-- name: BooksOfWallet :many
-- What the ledger says lies in a wallet: at its addresses, with their orders, and
-- what a rate moved while the partner was asked, which it left there or took besides.
SELECT x.currency, CAST(SUM(x.posted) AS BIGINT) AS posted, CAST(SUM(x.pending_out) AS BIGINT) AS reserved
FROM (SELECT h.currency, h.posted, h.pending_out FROM withdraw_addresses a
      JOIN ledger_balances h ON h.workspace_id = a.workspace_id AND h.account = 'held:' || a.id
      WHERE a.workspace_id = sqlc.arg('workspace_id') AND a.partner_wallet_id = sqlc.arg('wallet_id')
      UNION ALL
      SELECT b.currency, b.posted, b.pending_out FROM withdraw_addresses a
      JOIN orders o ON o.workspace_id = a.workspace_id AND o.withdraw_address_id = a.id
      JOIN ledger_balances b ON b.workspace_id = o.workspace_id AND b.account = 'order:' || o.id
      WHERE a.workspace_id = sqlc.arg('workspace_id') AND a.partner_wallet_id = sqlc.arg('wallet_id')
      UNION ALL
      SELECT e.currency, e.amount, 0 FROM withdraw_addresses a
      JOIN orders o ON o.workspace_id = a.workspace_id AND o.withdraw_address_id = a.id
      JOIN ledger_transactions t ON t.workspace_id = o.workspace_id AND t.order_id = o.id AND t.order_id <> ''
          AND t.kind IN ('settle', 'return', 'release') AND t.state = 'posted'
      JOIN ledger_entries e ON e.workspace_id = t.workspace_id AND e.ref = t.ref AND e.account = 'fx:gain'
      WHERE a.workspace_id = sqlc.arg('workspace_id') AND a.partner_wallet_id = sqlc.arg('wallet_id')) x
GROUP BY x.currency ORDER BY x.currency;

-- name: ListDeposits :many
-- The beginning of a query: transfers to withdrawal addresses, each with its drain.
SELECT sqlc.embed(f), CAST(COALESCE(d.order_id, '') AS TEXT) AS order_id, CAST(COALESCE(d.reason, '') AS TEXT) AS reason,
       CAST(COALESCE(d.booked, 0) AS BIGINT) AS booked
FROM transfers f
LEFT JOIN (SELECT workspace_id AS of_workspace, id AS transfer_id, order_id, reason, booked FROM drains) d
    ON d.of_workspace = f.workspace_id AND d.transfer_id = f.id
WHERE f.owner_kind = 'withdraw' AND f.workspace_id = $1;

-- name: Matching :one
SELECT * FROM matching WHERE name = $1;

-- name: PutMatching :execrows
INSERT INTO matching (name, version, taken_at, workspace_id, wallet_id, began_at, wallets, differences, failed,
    ended_at, last_wallets, last_differences, last_failed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (name) DO UPDATE
SET version = excluded.version, taken_at = excluded.taken_at, workspace_id = excluded.workspace_id, wallet_id = excluded.wallet_id,
    began_at = excluded.began_at, wallets = excluded.wallets, differences = excluded.differences, failed = excluded.failed,
    ended_at = excluded.ended_at, last_wallets = excluded.last_wallets, last_differences = excluded.last_differences, last_failed = excluded.last_failed
WHERE matching.version = excluded.version - 1;
