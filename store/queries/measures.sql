-- What monitoring asks for, now and then. Each is bounded by the number of workspaces, not by that of orders.

-- name: MeasureOrders :many
-- The oldest is looked for where an order may still move, of which an index has it first. CASE keeps either engine from
-- going through all orders that have ended.
SELECT m.status, CAST(SUM(m.orders) AS BIGINT) AS orders, CAST(COALESCE(MIN(m.oldest), 0) AS BIGINT) AS oldest
FROM (SELECT c.status, c.orders,
          CASE WHEN c.status IN ('awaiting', 'funds_received', 'in_review', 'payment_submitted')
          THEN (SELECT o.created_at FROM orders o WHERE o.workspace_id = c.workspace_id AND o.status = c.status
                ORDER BY o.created_at, o.id LIMIT 1) END AS oldest
      FROM (SELECT n.workspace_id, n.status, SUM(n.orders) AS orders FROM order_counts n
            GROUP BY n.workspace_id, n.status HAVING SUM(n.orders) > 0) c) m
GROUP BY m.status;

-- name: MeasureHolds :many
-- The cross join keeps SQLite from going through all orders.
SELECT o.body
FROM (SELECT n.workspace_id FROM order_counts n WHERE n.status = 'in_review'
      GROUP BY n.workspace_id HAVING SUM(n.orders) > 0) c
CROSS JOIN orders o
WHERE o.workspace_id = c.workspace_id AND o.status = 'in_review'
ORDER BY o.created_at, o.id LIMIT $1;
