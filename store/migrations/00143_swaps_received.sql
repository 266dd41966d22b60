-- +goose Up
-- What a mined swap brought its receiver, in the smallest unit, and whether that is less than the stamped minimum. '':
-- it is no swap, or not mined yet.
ALTER TABLE transactions ADD COLUMN received TEXT NOT NULL DEFAULT '';
ALTER TABLE transactions ADD COLUMN received_less BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE transactions DROP COLUMN received_less;
ALTER TABLE transactions DROP COLUMN received;
