-- +goose Up
-- When the signer said what these rows have, by its own clock: of two of its words the later one stands, whichever of a
-- request and a job writes last.
ALTER TABLE agents ADD COLUMN secret_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sub_organizations ADD COLUMN recovery_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE agents DROP COLUMN secret_at;
ALTER TABLE sub_organizations DROP COLUMN recovery_at;
