-- +goose Up

-- What is signed outside has no wallet, and its owner may sign a nonce twice:
-- the chain takes one of them.
DROP INDEX transactions_nonce;
CREATE UNIQUE INDEX transactions_nonce ON transactions (workspace_id, chain, from_address, nonce)
    WHERE nonce IS NOT NULL AND wallet_id <> '';
CREATE INDEX transactions_from ON transactions (workspace_id, from_address, created_at, id);
