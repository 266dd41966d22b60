-- +goose Up
-- The member who made a key. '': the operator, or a key from before this was written down.
ALTER TABLE api_keys ADD COLUMN created_by TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE api_keys DROP COLUMN created_by;
