-- +goose Up
-- When the block of a transfer was made. An order that is opened again from an older database takes its date from it.
ALTER TABLE transfers ADD COLUMN mined_at BIGINT NOT NULL DEFAULT 0; -- 0: written before this column
