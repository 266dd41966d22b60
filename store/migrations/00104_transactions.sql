-- +goose Up

CREATE TABLE transactions (
    workspace_id         TEXT   NOT NULL,
    id                   TEXT   NOT NULL,
    sub_organization_id  TEXT   NOT NULL,
    wallet_id            TEXT   NOT NULL,
    type                 TEXT   NOT NULL,
    replaces             TEXT   NOT NULL, -- id of the one whose nonce it takes
    replaced_by          TEXT   NOT NULL, -- id of the one that was signed in its place
    from_address         TEXT   NOT NULL,
    to_address           TEXT   NOT NULL,
    amount               TEXT   NOT NULL,
    token_address        TEXT   NOT NULL,
    token_symbol         TEXT   NOT NULL,
    chain                TEXT   NOT NULL,
    chain_id             BIGINT NOT NULL,
    body                 TEXT   NOT NULL,
    fingerprint          TEXT   NOT NULL,
    preview              TEXT   NOT NULL,
    unsigned_transaction TEXT   NOT NULL,
    fee                  TEXT   NOT NULL,
    state                TEXT   NOT NULL,
    held                 BIGINT NOT NULL, -- 1: signed with broadcast:false, and sent only when its owner asks for it
    reason               TEXT   NOT NULL,
    nonce                BIGINT,
    signed_transaction   TEXT   NOT NULL,
    tx_hash              TEXT   NOT NULL,
    proof                TEXT   NOT NULL,
    block_number         BIGINT NOT NULL,
    block_hash           TEXT   NOT NULL,
    confirmations        BIGINT NOT NULL,
    attempts             BIGINT NOT NULL,
    stuck                BIGINT NOT NULL, -- 1: sent, and its fee is below what the network asks
    expires_at           BIGINT NOT NULL,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    broadcast_at         BIGINT NOT NULL,
    mined_at             BIGINT NOT NULL,
    confirmed_at         BIGINT NOT NULL,
    failed_at            BIGINT NOT NULL,
    look_at              BIGINT NOT NULL, -- when it is asked next; 0: no more
    nonce_used_head      BIGINT NOT NULL, -- newest block when another transaction was first seen to have its nonce; 0: not seen
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX transactions_newest ON transactions (workspace_id, created_at, id);
CREATE INDEX transactions_of_wallet ON transactions (workspace_id, wallet_id, created_at, id);
CREATE INDEX transactions_waiting ON transactions (state, updated_at);
CREATE INDEX transactions_from ON transactions (workspace_id, from_address, created_at, id);

-- One row holds a nonce of a wallet's address: the newest of those that were
-- signed for it; the others name each another successor. What is signed outside
-- has no wallet, and its owner may sign a nonce twice: the chain takes one.
CREATE UNIQUE INDEX transactions_nonce ON transactions (workspace_id, chain, from_address, nonce, replaced_by)
    WHERE nonce IS NOT NULL AND wallet_id <> '';

-- Whoever has the bytes of a signed transaction can send them. Until its nonce is
-- used the chain is asked, later and later, for what was signed and not sent.
CREATE INDEX transactions_look ON transactions (look_at) WHERE look_at > 0 AND mined_at = 0 AND state IN ('pending', 'failed');
