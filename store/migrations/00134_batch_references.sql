-- +goose Up

-- The own reference of a row that is right, which is also in shown: a later batch with the same one is told. '' where it
-- has none.
ALTER TABLE batch_rows ADD COLUMN reference TEXT NOT NULL DEFAULT '';
CREATE INDEX batch_rows_of_reference ON batch_rows (workspace_id, reference) WHERE reference <> '';
CREATE INDEX batch_rows_of_quote ON batch_rows (workspace_id, quote_id) WHERE quote_id <> '';
