-- +goose Up

-- A transaction may take the nonce of another, which names it then.
ALTER TABLE transactions ADD COLUMN replaces TEXT NOT NULL DEFAULT '';    -- id of the one whose nonce it takes
ALTER TABLE transactions ADD COLUMN replaced_by TEXT NOT NULL DEFAULT ''; -- id of the one that was signed in its place
ALTER TABLE transactions ADD COLUMN stuck BIGINT NOT NULL DEFAULT 0;      -- 1: sent, and its fee is below what the network asks

-- One row holds a nonce: the newest of those that were signed for it. The others
-- name each another successor.
DROP INDEX transactions_nonce;
CREATE UNIQUE INDEX transactions_nonce ON transactions (workspace_id, chain, from_address, nonce, replaced_by)
    WHERE nonce IS NOT NULL AND wallet_id <> '';
