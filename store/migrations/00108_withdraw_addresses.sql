-- +goose Up

-- Where stablecoins for a bank account arrive: one for each chain and currency, for ever.
CREATE TABLE withdraw_addresses (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    reference           TEXT   NOT NULL,
    recipient_id        TEXT   NOT NULL,
    bank_account_id     TEXT   NOT NULL,
    chain               TEXT   NOT NULL,
    currency            TEXT   NOT NULL,
    destination         TEXT   NOT NULL, -- the bank account's currency
    rail                TEXT   NOT NULL,
    wallet_id           TEXT   NOT NULL, -- the platform's wallet that refunds go to, '' where none
    return_address      TEXT   NOT NULL, -- its address on the chain
    next_wallet_id      TEXT   NOT NULL DEFAULT '', -- from next_return_at on refunds go to this wallet, '' where no change waits
    next_return_address TEXT   NOT NULL DEFAULT '',
    next_return_at      BIGINT NOT NULL DEFAULT 0, -- 0 where no change waits
    status              TEXT   NOT NULL, -- provisioning or active
    partner_key         TEXT   NOT NULL, -- of the call that makes it
    keyed_at            BIGINT NOT NULL,
    tried_at            BIGINT NOT NULL, -- when somebody began to ask the partner; 0: nobody does
    customer_id         TEXT   NOT NULL, -- the partner's, like the two below
    partner_wallet_id   TEXT   NOT NULL,
    partner_id          TEXT   NOT NULL,
    address             TEXT   NOT NULL, -- '' until the partner has it
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX withdraw_addresses_once ON withdraw_addresses (workspace_id, bank_account_id, chain, currency);
CREATE INDEX withdraw_addresses_of_partner ON withdraw_addresses (partner_id);
CREATE INDEX withdraw_addresses_waiting ON withdraw_addresses (status, tried_at);
CREATE INDEX withdraw_addresses_of_wallet ON withdraw_addresses (workspace_id, partner_wallet_id);

-- An account number at the partner's bank whose deposits become stablecoins at a
-- withdrawal address.
CREATE TABLE virtual_accounts (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    recipient_id        TEXT   NOT NULL,
    bank_account_id     TEXT   NOT NULL,
    withdraw_address_id TEXT   NOT NULL,
    currency            TEXT   NOT NULL, -- what depositors send
    status              TEXT   NOT NULL, -- provisioning or active
    partner_key         TEXT   NOT NULL,
    keyed_at            BIGINT NOT NULL,
    tried_at            BIGINT NOT NULL,
    partner_id          TEXT   NOT NULL,
    clabe               TEXT   NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX virtual_accounts_once ON virtual_accounts (workspace_id, bank_account_id, currency);
CREATE INDEX virtual_accounts_waiting ON virtual_accounts (status, tried_at);

-- What arrived at a withdrawal address, and what became of it. The rest of an
-- accepted one is told by its order.
CREATE TABLE drains (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL, -- the transfer's
    withdraw_address_id TEXT   NOT NULL,
    order_id            TEXT   NOT NULL, -- '' where it opened none
    chain               TEXT   NOT NULL, -- where it arrived
    currency            TEXT   NOT NULL, -- what arrived
    amount              TEXT   NOT NULL, -- in whole units
    from_address        TEXT   NOT NULL,
    tx_hash             TEXT   NOT NULL,
    log_index           BIGINT NOT NULL,
    block_number        BIGINT NOT NULL,
    confirmations       BIGINT NOT NULL,
    required            BIGINT NOT NULL,
    state               TEXT   NOT NULL, -- the transfer's: seen, final or dropped
    reason              TEXT   NOT NULL, -- why it is not paid out, '' where it is
    booked              BIGINT NOT NULL, -- 1: what is not paid out is in the ledger
    version             BIGINT NOT NULL,
    transfer_at         BIGINT NOT NULL, -- how far the transfer's changes were taken in
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX drains_of_address ON drains (workspace_id, withdraw_address_id, created_at, id);
