-- name: InsertLedgerTransaction :execrows
INSERT INTO ledger_transactions (workspace_id, ref, kind, order_id, state, digest, created_at, settled_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workspace_id, ref) DO NOTHING;

-- name: SettleLedgerTransaction :execrows
UPDATE ledger_transactions SET state = sqlc.arg('to_state'), settled_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND ref = sqlc.arg('ref') AND state = 'pending' AND digest = sqlc.arg('digest');

-- name: InsertLedgerEntries :exec
-- The beginning of a query: ledger.go adds the other rows.
INSERT INTO ledger_entries (workspace_id, ref, n, account, currency, amount, summed) VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: VoidLedgerEntries :exec
UPDATE ledger_entries SET summed = 1 WHERE workspace_id = $1 AND ref = $2;

-- name: AddToBalance :execrows
-- An account that only gains may be new. Room is what is left below the most that
-- can be counted.
INSERT INTO ledger_balances (workspace_id, account, currency, posted, pending_in, pending_out)
VALUES (sqlc.arg('workspace_id'), sqlc.arg('account'), sqlc.arg('currency'), sqlc.arg('posted'), sqlc.arg('pending_in'), 0)
ON CONFLICT (workspace_id, account, currency) DO UPDATE
SET posted = ledger_balances.posted + excluded.posted, pending_in = ledger_balances.pending_in + excluded.pending_in
WHERE ledger_balances.posted <= CAST(sqlc.arg('room') AS BIGINT) - ledger_balances.pending_in;

-- name: MoveBalance :execrows
-- The floor is part of the change. Taken is what less will be available.
UPDATE ledger_balances
SET posted = posted + CAST(sqlc.arg('posted') AS BIGINT), pending_in = pending_in + CAST(sqlc.arg('pending_in') AS BIGINT),
    pending_out = pending_out + CAST(sqlc.arg('pending_out') AS BIGINT)
WHERE workspace_id = sqlc.arg('workspace_id') AND account = sqlc.arg('account') AND currency = sqlc.arg('currency')
  AND posted - pending_out >= CAST(sqlc.arg('taken') AS BIGINT)
  AND pending_in >= -CAST(sqlc.arg('pending_in') AS BIGINT) AND pending_out >= -CAST(sqlc.arg('pending_out') AS BIGINT)
  AND posted <= CAST(sqlc.arg('room') AS BIGINT) - pending_in;

-- name: GuardedBalance :one
SELECT posted, pending_in, pending_out FROM ledger_balances WHERE workspace_id = $1 AND account = $2 AND currency = $3;

-- name: HotBalance :one
-- One statement, so that the checkpoint and what came after it are of one moment.
SELECT CAST(COALESCE((SELECT c.posted FROM ledger_checkpoints c
           WHERE c.workspace_id = sqlc.arg('workspace_id') AND c.account = sqlc.arg('account') AND c.currency = sqlc.arg('currency')), 0) AS BIGINT) AS checkpoint,
       CAST(COALESCE(SUM(CASE WHEN t.state = 'posted' THEN e.amount ELSE 0 END), 0) AS BIGINT) AS posted,
       CAST(COALESCE(SUM(CASE WHEN t.state = 'pending' AND e.amount > 0 THEN e.amount ELSE 0 END), 0) AS BIGINT) AS pending_in,
       CAST(COALESCE(SUM(CASE WHEN t.state = 'pending' AND e.amount < 0 THEN -e.amount ELSE 0 END), 0) AS BIGINT) AS pending_out
FROM ledger_entries e
JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
WHERE e.workspace_id = sqlc.arg('workspace_id') AND e.account = sqlc.arg('account') AND e.currency = sqlc.arg('currency') AND e.summed = 0;

-- name: UnsummedAccounts :many
SELECT workspace_id, account, currency FROM ledger_entries WHERE summed = 0
GROUP BY workspace_id, account, currency HAVING COUNT(*) >= CAST(sqlc.arg('least') AS BIGINT)
ORDER BY workspace_id, account, currency;

-- name: SumEntries :many
-- Which entries are counted is written on them: one that commits late, however
-- old its time, is still there for the next checkpoint.
UPDATE ledger_entries SET summed = 1
WHERE ledger_entries.workspace_id = sqlc.arg('workspace_id') AND ledger_entries.account = sqlc.arg('account') AND ledger_entries.currency = sqlc.arg('currency') AND ledger_entries.summed = 0
  AND ledger_entries.ref IN (SELECT t.ref FROM ledger_entries e
              JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
              WHERE e.workspace_id = sqlc.arg('workspace_id') AND e.account = sqlc.arg('account') AND e.currency = sqlc.arg('currency')
                AND e.summed = 0 AND t.state = 'posted'
              ORDER BY t.ref LIMIT sqlc.arg('most'))
RETURNING amount;

-- name: AddCheckpoint :exec
INSERT INTO ledger_checkpoints (workspace_id, account, currency, posted, entries, updated_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (workspace_id, account, currency) DO UPDATE
SET posted = ledger_checkpoints.posted + excluded.posted, entries = ledger_checkpoints.entries + excluded.entries, updated_at = excluded.updated_at;
