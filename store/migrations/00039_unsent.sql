-- +goose Up

-- Whoever has the bytes of a signed transaction can send them. Until its nonce is used the
-- chain is asked, later and later, for what this server has signed and not sent.
ALTER TABLE transactions ADD COLUMN look_at BIGINT NOT NULL DEFAULT 0;         -- when it is asked next; 0: no more
ALTER TABLE transactions ADD COLUMN nonce_used_head BIGINT NOT NULL DEFAULT 0; -- newest block when another transaction was first seen to have its nonce; 0: not seen
UPDATE transactions SET look_at = updated_at WHERE tx_hash <> '' AND mined_at = 0 AND state IN ('pending', 'failed');
CREATE INDEX transactions_look ON transactions (look_at) WHERE look_at > 0 AND mined_at = 0 AND state IN ('pending', 'failed');
