-- name: InsertLedgerTransaction :execrows
INSERT INTO ledger_transactions (workspace_id, ref, kind, order_id, state, digest, created_at, settled_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workspace_id, ref) DO NOTHING;

-- name: SettleLedgerTransaction :execrows
UPDATE ledger_transactions SET state = sqlc.arg('to_state'), settled_at = sqlc.arg('at')
WHERE workspace_id = sqlc.arg('workspace_id') AND ref = sqlc.arg('ref') AND state = 'pending' AND digest = sqlc.arg('digest');

-- name: InsertLedgerEntries :exec
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
-- old its time, is still there for the next checkpoint. The list is made once, whatever
-- the planner believes: with statistics from when the table was small, PostgreSQL made it
-- again for each of 3,000 entries, for 20 minutes.
WITH due AS MATERIALIZED (
  SELECT t.ref FROM ledger_entries e
  JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
  WHERE e.workspace_id = sqlc.arg('workspace_id') AND e.account = sqlc.arg('account') AND e.currency = sqlc.arg('currency')
    AND e.summed = 0 AND t.state = 'posted'
  ORDER BY t.ref LIMIT sqlc.arg('most'))
UPDATE ledger_entries SET summed = 1
WHERE ledger_entries.workspace_id = sqlc.arg('workspace_id') AND ledger_entries.account = sqlc.arg('account') AND ledger_entries.currency = sqlc.arg('currency') AND ledger_entries.summed = 0
  AND ledger_entries.ref IN (SELECT due.ref FROM due)
RETURNING amount;

-- name: AddCheckpoint :exec
INSERT INTO ledger_checkpoints (workspace_id, account, currency, posted, entries, updated_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (workspace_id, account, currency) DO UPDATE
SET posted = ledger_checkpoints.posted + excluded.posted, entries = ledger_checkpoints.entries + excluded.entries, updated_at = excluded.updated_at;

-- name: WorkspacesWithBooks :many
SELECT workspace_id FROM ledger_balances GROUP BY workspace_id ORDER BY workspace_id;

-- What follows are the checks of the books. Each is one statement, so that it
-- sees one moment while others write.

-- name: SumsOfCurrencies :many
SELECT e.currency, CAST(COUNT(*) AS BIGINT) AS entries,
       CAST(COALESCE(SUM(CASE WHEN t.state = 'posted' THEN e.amount ELSE 0 END), 0) AS BIGINT) AS posted,
       CAST(COALESCE(SUM(CASE WHEN t.state = 'pending' THEN e.amount ELSE 0 END), 0) AS BIGINT) AS pending
FROM ledger_entries e JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
WHERE e.workspace_id = $1
GROUP BY e.currency ORDER BY e.currency;

-- name: WrongBalances :many
-- Of accounts with a floor: the row less what its entries say.
SELECT x.account, x.currency, CAST(SUM(x.posted) AS BIGINT) AS posted, CAST(SUM(x.pending_in) AS BIGINT) AS pending_in,
       CAST(SUM(x.pending_out) AS BIGINT) AS pending_out
FROM (SELECT b.account, b.currency, b.posted, b.pending_in, b.pending_out FROM ledger_balances b WHERE b.workspace_id = $1
      UNION ALL
      SELECT e.account, e.currency,
             CASE WHEN t.state = 'posted' THEN -e.amount ELSE 0 END,
             CASE WHEN t.state = 'pending' AND e.amount > 0 THEN -e.amount ELSE 0 END,
             CASE WHEN t.state = 'pending' AND e.amount < 0 THEN e.amount ELSE 0 END
      FROM ledger_entries e JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
      WHERE e.workspace_id = $1 AND (e.account LIKE 'held:%' OR e.account LIKE 'order:%')) x
GROUP BY x.account, x.currency
HAVING SUM(x.posted) <> 0 OR SUM(x.pending_in) <> 0 OR SUM(x.pending_out) <> 0
ORDER BY x.account, x.currency;

-- name: WrongCheckpoints :many
-- Of the other accounts: the checkpoint less the posted entries that are marked as counted.
SELECT x.account, x.currency, CAST(SUM(x.posted) AS BIGINT) AS posted, CAST(SUM(x.entries) AS BIGINT) AS entries
FROM (SELECT c.account, c.currency, c.posted, c.entries FROM ledger_checkpoints c WHERE c.workspace_id = $1
      UNION ALL
      SELECT e.account, e.currency, -e.amount, -1
      FROM ledger_entries e JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
      WHERE e.workspace_id = $1 AND e.summed = 1 AND t.state <> 'voided' AND e.account NOT LIKE 'held:%' AND e.account NOT LIKE 'order:%') x
GROUP BY x.account, x.currency
HAVING SUM(x.posted) <> 0 OR SUM(x.entries) <> 0
ORDER BY x.account, x.currency;

-- name: StrayEntries :many
-- Entries without a transaction, and transactions without entries.
SELECT e.ref FROM ledger_entries e
LEFT JOIN ledger_transactions t ON t.workspace_id = e.workspace_id AND t.ref = e.ref
WHERE e.workspace_id = $1 AND t.ref IS NULL
UNION
SELECT t.ref FROM ledger_transactions t
LEFT JOIN ledger_entries e ON e.workspace_id = t.workspace_id AND e.ref = t.ref
WHERE t.workspace_id = $1 AND e.ref IS NULL
ORDER BY 1;

-- name: OrdersWithBooks :many
-- Orders beside what the ledger has of them. The cross join keeps SQLite from going through all entries for each order.
SELECT o.body,
       CAST((SELECT COALESCE(SUM(b.posted), 0) FROM ledger_balances b WHERE b.workspace_id = o.workspace_id
             AND b.account = 'order:' || o.id AND b.currency IN ('usdc', 'usdt')) AS BIGINT) AS posted,
       CAST((SELECT COALESCE(SUM(b.posted), 0) FROM ledger_balances b WHERE b.workspace_id = o.workspace_id
             AND b.account = 'order:' || o.id AND b.currency NOT IN ('usdc', 'usdt')) AS BIGINT) AS fiat,
       CAST((SELECT COALESCE(SUM(b.pending_out), 0) FROM ledger_balances b WHERE b.workspace_id = o.workspace_id
             AND b.account = 'order:' || o.id) AS BIGINT) AS pending_out,
       CAST((SELECT COALESCE(SUM(e.amount), 0) FROM ledger_transactions t CROSS JOIN ledger_entries e
             WHERE e.workspace_id = t.workspace_id AND e.ref = t.ref
             AND t.workspace_id = o.workspace_id AND t.order_id = o.id AND t.order_id <> '' AND e.account LIKE 'bank:%' AND t.state = 'posted'
             AND o.pair LIKE '%/' || UPPER(e.currency)) AS BIGINT) AS paid,
       CAST((SELECT COUNT(*) FROM ledger_transactions t
             WHERE t.workspace_id = o.workspace_id AND t.order_id = o.id AND t.order_id <> '' AND t.state = 'pending') AS BIGINT) AS pending,
       CAST((SELECT COUNT(*) FROM order_events v WHERE v.workspace_id = o.workspace_id AND v.order_id = o.id) AS BIGINT) AS events
FROM orders o
WHERE o.workspace_id = sqlc.arg('workspace_id') AND o.id > sqlc.arg('after')
ORDER BY o.id LIMIT sqlc.arg('most');
