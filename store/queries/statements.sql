-- name: WorkspaceOpening :many
-- What is held for a workspace, less what was posted since: the balances of today are its whole history. One statement,
-- so that it sees one moment while others write.
SELECT x.currency, CAST(COALESCE(SUM(x.amount), 0) AS BIGINT) AS posted
FROM (SELECT b.currency, b.posted AS amount FROM ledger_balances b WHERE b.workspace_id = sqlc.arg('workspace_id')
      UNION ALL
      SELECT e.currency, -e.amount
      FROM ledger_transactions t JOIN ledger_entries e ON e.workspace_id = t.workspace_id AND e.ref = t.ref
      WHERE t.workspace_id = sqlc.arg('workspace_id') AND t.state = 'posted' AND t.settled_at >= sqlc.arg('since')
        AND (e.account LIKE 'held:%' OR e.account LIKE 'order:%')) x
GROUP BY x.currency ORDER BY x.currency;

-- name: StatementOpening :many
-- The beginning of a query: statements.go adds which transactions, and until when.
SELECT e.currency, CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) AS posted
FROM ledger_transactions t JOIN ledger_entries e ON e.workspace_id = t.workspace_id AND e.ref = t.ref
WHERE (e.account LIKE 'held:%' OR e.account LIKE 'order:%') AND t.state = 'posted' AND t.workspace_id = $1;

-- name: ListStatementMoves :many
-- The beginning of a query: statements.go adds which transactions.
SELECT t.ref, t.kind, t.order_id, t.settled_at, e.currency, COALESCE(o.reference, '') AS reference,
       CAST(SUM(CASE WHEN e.account LIKE 'held:%' OR e.account LIKE 'order:%' THEN e.amount ELSE 0 END) AS BIGINT) AS change,
       CAST(SUM(CASE WHEN e.account LIKE 'fees:%' THEN e.amount ELSE 0 END) AS BIGINT) AS fees
FROM ledger_transactions t
JOIN ledger_entries e ON e.workspace_id = t.workspace_id AND e.ref = t.ref
LEFT JOIN orders o ON o.workspace_id = t.workspace_id AND o.id = t.order_id
WHERE t.workspace_id = $1;
