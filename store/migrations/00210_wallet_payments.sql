-- +goose Up
-- What a list of a wallet's transactions shows, and whom the wallet paid, is read from the index alone: their rows are
-- large, and far from each other. All of these texts are short.
DROP INDEX transactions_of_wallet;
CREATE INDEX transactions_of_wallet ON transactions (workspace_id, wallet_id, created_at, id, state, to_address,
    from_address, amount, token_symbol, chain, tx_hash, block_number);

-- +goose Down
DROP INDEX transactions_of_wallet;
CREATE INDEX transactions_of_wallet ON transactions (workspace_id, wallet_id, created_at, id);
