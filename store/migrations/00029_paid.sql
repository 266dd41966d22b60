-- +goose Up

-- When an order's money was at the bank, 0 while it is not there.
ALTER TABLE orders ADD COLUMN completed_at BIGINT NOT NULL DEFAULT 0;

UPDATE orders SET completed_at = COALESCE((
    SELECT MAX(e.at) FROM order_events e
    WHERE e.workspace_id = orders.workspace_id AND e.order_id = orders.id AND e.kind = 'fiat.received'
), updated_at)
WHERE status = 'completed';

-- What a recipient was paid in a year is read from the index alone.
CREATE INDEX orders_paid ON orders (workspace_id, recipient_id, completed_at, id, gross) WHERE completed_at > 0;
