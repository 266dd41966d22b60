-- What monitoring asks for, now and then. Each is bounded by the number of workspaces, not by that of orders,
-- and by what still has to be sent to webhooks, not by what was.

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

-- name: MeasureWebhooks :many
-- What is due to an active endpoint first is the first entry of an index: its pending delivery that is due first, and the
-- first event behind its cursor. What waits for it is counted in indexes that have no ended deliveries.
SELECT m.status, CAST(m.failing AS BIGINT) AS failing, COUNT(*) AS endpoints,
    CAST(COALESCE(SUM(m.pending + m.waiting), 0) AS BIGINT) AS waiting,
    CAST(COALESCE(MIN(m.due_at), 0) AS BIGINT) AS due_at, CAST(COALESCE(MIN(m.event_at), 0) AS BIGINT) AS event_at
FROM (SELECT e.status, CASE WHEN e.failing_since > 0 THEN 1 ELSE 0 END AS failing,
          CASE WHEN e.status = 'active' THEN (
              SELECT COUNT(*) FROM webhook_deliveries d
              WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.status = 'pending') END AS pending,
          CASE WHEN e.status = 'active' THEN (
              SELECT COUNT(*) FROM webhook_deliveries d
              WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.status = 'waiting') END AS waiting,
          CASE WHEN e.status = 'active' THEN (
              SELECT MIN(d.due_at) FROM webhook_deliveries d
              WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.status = 'pending') END AS due_at,
          CASE WHEN e.status = 'active' THEN (
              SELECT v.at FROM events v WHERE v.workspace_id = e.workspace_id AND v.seq > e.event_cursor
              ORDER BY v.seq LIMIT 1) END AS event_at
      FROM webhook_endpoints e WHERE e.status IN ('active', 'disabled')) m
GROUP BY m.status, m.failing;
