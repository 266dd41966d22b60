-- +goose Up

-- The deposit account at which an order's fiat arrived; '' of other orders.
ALTER TABLE orders ADD COLUMN deposit_account_id TEXT NOT NULL DEFAULT '';
CREATE INDEX orders_of_deposit_account ON orders (workspace_id, deposit_account_id, created_at, id);
