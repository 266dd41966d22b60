-- +goose Up

-- Account numbers at the partner's bank. What arrives there becomes stablecoins at the workspace's own wallet.
CREATE TABLE deposit_accounts (
    workspace_id     TEXT   NOT NULL,
    id               TEXT   NOT NULL,
    reference        TEXT   NOT NULL,
    wallet_id        TEXT   NOT NULL, -- the platform's
    source           TEXT   NOT NULL, -- what depositors send
    destination      TEXT   NOT NULL, -- what it becomes
    chain            TEXT   NOT NULL,
    address          TEXT   NOT NULL, -- the wallet's own on the chain
    fee_points       BIGINT NOT NULL, -- ours, in basis points of what arrives
    status           TEXT   NOT NULL, -- provisioning, or active: the partner has made it
    deactivated      BIGINT NOT NULL, -- 1: the partner takes no deposits
    wanted           TEXT   NOT NULL, -- active or deactivated: what the partner has yet to be told, '' where nothing
    partner_key      TEXT   NOT NULL, -- of the call that makes it, later of the one that switches it
    keyed_at         BIGINT NOT NULL,
    tried_at         BIGINT NOT NULL, -- when somebody began to ask the partner; 0: nobody does
    customer_id      TEXT   NOT NULL, -- the partner's, like the one below
    partner_id       TEXT   NOT NULL,
    sealed           TEXT   NOT NULL, -- where depositors send money, encrypted; '' until the partner has told
    polled_at        BIGINT NOT NULL, -- when the partner was last asked what happened
    activities_until BIGINT NOT NULL, -- how far what happened was taken in
    version          BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX deposit_accounts_once ON deposit_accounts (workspace_id, wallet_id, source, destination);
-- A partner that gave two accounts one number would have one deposit be two orders'.
CREATE INDEX deposit_accounts_of_partner ON deposit_accounts (partner_id) WHERE partner_id <> '';
CREATE INDEX deposit_accounts_listed ON deposit_accounts (workspace_id, created_at, id);
CREATE INDEX deposit_accounts_waiting ON deposit_accounts (status, tried_at);
CREATE INDEX deposit_accounts_switching ON deposit_accounts (tried_at) WHERE wanted <> '';
CREATE INDEX deposit_accounts_polled ON deposit_accounts (status, polled_at);

-- What the partner said that happened to deposits, each thing once.
CREATE TABLE deposit_events (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    account_id   TEXT   NOT NULL, -- the deposit account's
    event_id     TEXT   NOT NULL, -- the partner's
    deposit_id   TEXT   NOT NULL, -- the partner's: one for each transfer of a depositor, '' of the account's own events
    type         TEXT   NOT NULL,
    raw_type     TEXT   NOT NULL, -- the partner's word
    amount       BIGINT NOT NULL, -- minor units
    currency     TEXT   NOT NULL, -- '' where there is no amount
    occurred_at  BIGINT NOT NULL, -- by the partner's clock; 0: not said
    recorded_at  BIGINT NOT NULL,
    body         TEXT   NOT NULL,
    created_at   BIGINT NOT NULL, -- its place in the list: occurred_at, or recorded_at where that is not said
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX deposit_events_once ON deposit_events (workspace_id, account_id, event_id);
CREATE INDEX deposit_events_listed ON deposit_events (workspace_id, account_id, created_at, id);
