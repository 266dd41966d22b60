-- +goose Up
-- Of a transaction that names a recent block in place of a nonce: the number of a block before it was signed, and the
-- highest height of a block that can have it. 0: it has a nonce.
ALTER TABLE transactions ADD COLUMN since_block BIGINT NOT NULL DEFAULT 0;
ALTER TABLE transactions ADD COLUMN last_height BIGINT NOT NULL DEFAULT 0;

-- The row of a body that was signed without a nonce.
CREATE INDEX transactions_unnumbered ON transactions (workspace_id, fingerprint)
    WHERE nonce IS NULL AND signed_transaction <> '';

-- +goose Down
DROP INDEX transactions_unnumbered;
ALTER TABLE transactions DROP COLUMN last_height;
ALTER TABLE transactions DROP COLUMN since_block;
