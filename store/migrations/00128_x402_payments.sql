-- +goose Up
-- What agents buy by x402: an activity of the signer, the seller's offer, and what became of the transfer that was signed.
CREATE TABLE x402_payments (
    workspace_id  TEXT   NOT NULL,
    id            TEXT   NOT NULL, -- of its activity
    agent_id      TEXT   NOT NULL,
    state         TEXT   NOT NULL, -- prepared, signed, settled, unused
    resource      TEXT   NOT NULL, -- URL
    request       TEXT   NOT NULL, -- what the seller is asked, sealed; '': the agent asks by itself
    answer        TEXT   NOT NULL, -- JSON of the seller's answer 402, with its offers
    network       TEXT   NOT NULL, -- slug
    transfer      TEXT   NOT NULL, -- eip3009, permit2
    from_address  TEXT   NOT NULL,
    pay_to        TEXT   NOT NULL,
    facilitator   TEXT   NOT NULL,
    amount        BIGINT NOT NULL, -- micro-USDC, at most
    counted       BIGINT NOT NULL, -- under its nonce, in the signer's count
    nonce         TEXT   NOT NULL,
    reuses        TEXT   NOT NULL, -- id of the unused payment whose nonce it has, '': its own
    reused_by     TEXT   NOT NULL, -- id of the payment that has its nonce now
    since_block   BIGINT NOT NULL, -- it is in no block below
    valid_before  BIGINT NOT NULL, -- second since 1970; 0: not signed
    signature     TEXT   NOT NULL,
    tx_hash       TEXT   NOT NULL, -- that moved the money
    moved         BIGINT NOT NULL, -- micro-USDC that it moved
    http_status   BIGINT NOT NULL, -- of the seller's last answer to the payment, 0: none
    delivered     BIGINT NOT NULL, -- 1: the seller answered with what was paid for
    reason        TEXT   NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX x402_payments_of_agents ON x402_payments (workspace_id, agent_id, created_at, id);
CREATE INDEX x402_payments_open ON x402_payments (updated_at) WHERE state = 'prepared' OR state = 'signed';

-- +goose Down
DROP TABLE x402_payments;
