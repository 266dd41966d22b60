-- +goose Up

-- Our fee of what arrives, in basis points, as the partner was asked to take it.
ALTER TABLE virtual_accounts ADD COLUMN fee_points BIGINT NOT NULL DEFAULT 0;

-- When the partner was asked what happened at a virtual account, and how far that was taken in; 0: never.
ALTER TABLE virtual_accounts ADD COLUMN polled_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE virtual_accounts ADD COLUMN activities_until BIGINT NOT NULL DEFAULT 0;
CREATE INDEX virtual_accounts_of_partner ON virtual_accounts (partner_id) WHERE partner_id <> '';
CREATE INDEX virtual_accounts_at ON virtual_accounts (workspace_id, withdraw_address_id);
CREATE INDEX virtual_accounts_polled ON virtual_accounts (polled_at, id) WHERE partner_id <> '';
