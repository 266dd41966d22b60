-- name: InsertOrder :execrows
INSERT INTO orders (workspace_id, id, reference, type, status, rail, pair, recipient_id, folded_name, bank_account_id,
    withdraw_address_id, quote_id, search, gross, net, version, created_at, updated_at, due_at, completed_at, body,
    deposit_account_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)
ON CONFLICT DO NOTHING;

-- name: MoveOrder :execrows
UPDATE orders
SET type = sqlc.arg('type'), pair = sqlc.arg('pair'), status = sqlc.arg('status'), search = sqlc.arg('search'), gross = sqlc.arg('gross'), net = sqlc.arg('net'),
    version = sqlc.arg('version'), updated_at = sqlc.arg('updated_at'), due_at = sqlc.arg('due_at'),
    completed_at = sqlc.arg('completed_at'), body = sqlc.arg('body')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND version = CAST(sqlc.arg('version') AS BIGINT) - 1;

-- name: AddToOrderCounts :exec
INSERT INTO order_counts (workspace_id, status, stripe, orders) VALUES ($1, $2, $3, $4)
ON CONFLICT (workspace_id, status, stripe) DO UPDATE SET orders = order_counts.orders + excluded.orders;

-- name: OrderCounts :many
SELECT status, CAST(SUM(orders) AS BIGINT) AS orders FROM order_counts WHERE workspace_id = $1 GROUP BY status HAVING SUM(orders) <> 0;

-- name: DeferOrder :execrows
UPDATE orders SET due_at = sqlc.arg('due_at')
WHERE workspace_id = sqlc.arg('workspace_id') AND id = sqlc.arg('id') AND version = sqlc.arg('version');

-- name: Order :one
SELECT body FROM orders WHERE workspace_id = $1 AND id = $2;

-- name: OrderOfReference :one
SELECT body FROM orders WHERE workspace_id = $1 AND reference = $2;

-- name: OrderByReference :one
-- The newest of those that a name names. Its parts keep both engines from going through all orders from the newest on, as
-- PostgreSQL did with a join that was planned while the tables were small.
SELECT body FROM orders WHERE orders.workspace_id = $1 AND orders.id = (
    SELECT r.order_id FROM order_references r WHERE r.workspace_id = $1 AND r.reference = $2
    ORDER BY (SELECT o.created_at FROM orders o WHERE o.workspace_id = r.workspace_id AND o.id = r.order_id) DESC, r.order_id DESC
    LIMIT 1);

-- name: InsertOrderEvents :exec
INSERT INTO order_events (workspace_id, order_id, seq, kind, status, party, at, occurred_at, detail)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- name: OrderEvents :many
SELECT * FROM order_events WHERE workspace_id = $1 AND order_id = $2 ORDER BY seq;

-- name: InsertOrderReferences :exec
INSERT INTO order_references (workspace_id, reference, order_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: ClaimForOrder :execrows
INSERT INTO order_directory (kind, lookup, workspace_id, order_id, held)
VALUES (sqlc.arg('kind'), sqlc.arg('lookup'), sqlc.arg('workspace_id'), sqlc.arg('order_id'), 1)
ON CONFLICT (kind, lookup) DO UPDATE
SET workspace_id = excluded.workspace_id, order_id = excluded.order_id, held = 1
WHERE order_directory.held = 0
   OR (order_directory.workspace_id = excluded.workspace_id AND order_directory.order_id = excluded.order_id);

-- name: FreeOfOrder :exec
UPDATE order_directory SET held = 0
WHERE kind = sqlc.arg('kind') AND lookup = sqlc.arg('lookup') AND workspace_id = sqlc.arg('workspace_id') AND order_id = sqlc.arg('order_id');

-- name: OwnerInDirectory :one
SELECT workspace_id, order_id FROM order_directory WHERE kind = $1 AND lookup = $2;

-- The lists below are the beginnings of queries: conditions, order and page are added.

-- name: ListOrders :many
SELECT body FROM orders WHERE workspace_id = $1;

-- name: CountOrders :many
-- The cast keeps SQLite from going through all orders by their status.
SELECT CAST(status AS TEXT) AS status, CAST(COUNT(*) AS BIGINT) AS orders FROM orders WHERE workspace_id = $1;

-- name: ListOrdersDue :many
SELECT due_at, body FROM orders WHERE due_at > 0 AND due_at <= $1;

-- name: PaidTo :many
-- The beginning of a query: paid.go adds the recipients, and the end.
SELECT recipient_id, CAST(COUNT(*) AS BIGINT) AS payments, CAST(SUM(gross) AS BIGINT) AS gross
FROM orders WHERE workspace_id = $1 AND completed_at > 0 AND completed_at >= $2;

-- name: LastPaidTo :many
-- Same. The cross join keeps SQLite from going through all orders.
SELECT r.id AS recipient_id, o.completed_at, o.gross
FROM recipients r CROSS JOIN orders o
WHERE o.workspace_id = r.workspace_id AND o.id = (
    SELECT p.id FROM orders p
    WHERE p.workspace_id = r.workspace_id AND p.recipient_id = r.id AND p.completed_at > 0
    ORDER BY p.completed_at DESC, p.id DESC LIMIT 1
) AND r.workspace_id = $1;
