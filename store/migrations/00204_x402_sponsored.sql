-- +goose Up
-- Of a payment that is one of a transaction's two signatures, as on Solana: transfer is sponsored, facilitator pays the
-- fee, signature is the whole transaction as the signer signed it, and it has no nonce.
ALTER TABLE x402_payments ADD COLUMN memo TEXT NOT NULL DEFAULT '';          -- in the transaction
ALTER TABLE x402_payments ADD COLUMN last_height BIGINT NOT NULL DEFAULT 0;  -- of a block that can have it

-- +goose Down
ALTER TABLE x402_payments DROP COLUMN last_height;
ALTER TABLE x402_payments DROP COLUMN memo;
