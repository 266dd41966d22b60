-- +goose Up

-- A change of where refunds go: from next_return_at on they go to the address of
-- this wallet. '' and 0 where there is none.
ALTER TABLE withdraw_addresses ADD COLUMN next_wallet_id TEXT NOT NULL DEFAULT '';
ALTER TABLE withdraw_addresses ADD COLUMN next_return_address TEXT NOT NULL DEFAULT '';
ALTER TABLE withdraw_addresses ADD COLUMN next_return_at BIGINT NOT NULL DEFAULT 0;
