-- +goose Up

-- Statements read what was posted in a period, and what was booked on withdrawal addresses.
CREATE INDEX ledger_transactions_settled ON ledger_transactions (workspace_id, settled_at, ref) WHERE state = 'posted';
CREATE INDEX ledger_entries_held ON ledger_entries (workspace_id, account, ref) WHERE account LIKE 'held:%';
