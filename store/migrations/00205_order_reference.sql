-- +goose Up

-- People and banks name an order by its own reference. Through order_references alone, that is two more pages to read,
-- which with many orders are not in memory.
CREATE INDEX orders_of_reference ON orders (workspace_id, reference);
