-- +goose Up

-- Statements read what was posted in a period, and what was booked for no order.
CREATE INDEX ledger_transactions_settled ON ledger_transactions (workspace_id, settled_at, ref) WHERE state = 'posted';
CREATE INDEX ledger_transactions_of_no_order ON ledger_transactions (workspace_id, ref) WHERE order_id = '';
