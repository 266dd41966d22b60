-- +goose Up

-- Of a transfer that several paid for together, which has no from_address: their addresses, with spaces between.
ALTER TABLE transfers ADD COLUMN senders TEXT NOT NULL DEFAULT '';
