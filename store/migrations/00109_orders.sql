-- +goose Up

-- What a payout was said to cost, until when. Rows are only ever added: that a
-- quote was used is told by its order, of which there is one at most.
CREATE TABLE quotes (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    recipient_id        TEXT   NOT NULL,
    bank_account_id     TEXT   NOT NULL,
    withdraw_address_id TEXT   NOT NULL,
    asked               BIGINT NOT NULL, -- minor units of what the caller named
    asked_currency      TEXT   NOT NULL,
    source              TEXT   NOT NULL, -- the address's stablecoin
    destination         TEXT   NOT NULL, -- the bank account's currency
    gross               BIGINT NOT NULL, -- minor units of the source, like the fees
    network_fee         BIGINT NOT NULL,
    platform_fee        BIGINT NOT NULL,
    net                 BIGINT NOT NULL, -- minor units of the destination
    midmarket           TEXT   NOT NULL,
    sell                TEXT   NOT NULL,
    spread              BIGINT NOT NULL, -- basis points between the two
    published_at        BIGINT NOT NULL, -- by the partner's clock
    fetched_at          BIGINT NOT NULL, -- by ours
    created_at          BIGINT NOT NULL, -- by the database's, like the end
    expires_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- One payment each, over all rails and directions: the fold of its events.
CREATE TABLE orders (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    reference           TEXT   NOT NULL,
    type                TEXT   NOT NULL,
    status              TEXT   NOT NULL,
    rail                TEXT   NOT NULL,
    pair                TEXT   NOT NULL, -- 'USDC/MXN'
    recipient_id        TEXT   NOT NULL,
    folded_name         TEXT   NOT NULL, -- the recipient's, in lower case: as which it is searched
    bank_account_id     TEXT   NOT NULL,
    withdraw_address_id TEXT   NOT NULL,
    quote_id            TEXT   NOT NULL, -- '' where there is none
    search              TEXT   NOT NULL, -- reference, name and amounts, in lower case
    gross               BIGINT NOT NULL, -- minor units
    net                 BIGINT NOT NULL, -- same
    version             BIGINT NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    completed_at        BIGINT NOT NULL, -- when an order's money was at the bank; 0: not yet
    due_at              BIGINT NOT NULL, -- when the sweeper has to look, 0: never
    body                TEXT   NOT NULL, -- JSON of all of it
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX orders_once ON orders (workspace_id, quote_id) WHERE quote_id <> '';
CREATE INDEX orders_newest ON orders (workspace_id, created_at, id);
CREATE INDEX orders_of_status ON orders (workspace_id, status, created_at, id);
CREATE INDEX orders_of_recipient ON orders (workspace_id, recipient_id, created_at, id);
CREATE INDEX orders_of_account ON orders (workspace_id, bank_account_id, created_at, id);
CREATE INDEX orders_of_address ON orders (workspace_id, withdraw_address_id, created_at, id);
CREATE INDEX orders_due ON orders (due_at, id) WHERE due_at > 0;

-- What a recipient was paid in a year is read from the index alone.
CREATE INDEX orders_paid ON orders (workspace_id, recipient_id, completed_at, id, gross) WHERE completed_at > 0;

-- The timeline. Rows are only ever added.
CREATE TABLE order_events (
    workspace_id TEXT   NOT NULL,
    order_id     TEXT   NOT NULL,
    seq          BIGINT NOT NULL, -- the order's version after it
    kind         TEXT   NOT NULL,
    status       TEXT   NOT NULL, -- after it
    party        TEXT   NOT NULL, -- who brought it
    at           BIGINT NOT NULL,
    occurred_at  BIGINT NOT NULL, -- by that one's clock
    detail       TEXT   NOT NULL, -- JSON object
    PRIMARY KEY (workspace_id, order_id, seq)
);

-- Every name that an order is found by. Two orders can share one: a transaction
-- on chain may hold two deposits.
CREATE TABLE order_references (
    workspace_id TEXT NOT NULL,
    reference    TEXT NOT NULL, -- in lower case
    order_id     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, reference, order_id)
);

-- What belongs to one order in the whole world: our references, the partner's
-- transfers, and transfers on chain.
CREATE TABLE order_directory (
    kind         TEXT   NOT NULL, -- reference, payout, deposit
    lookup       TEXT   NOT NULL,
    workspace_id TEXT   NOT NULL,
    order_id     TEXT   NOT NULL,
    held         BIGINT NOT NULL, -- 0: given up, and free for another order
    PRIMARY KEY (kind, lookup)
);

-- How many orders of each status a workspace has: counting them one by one takes
-- the longer the more there are. Each number is in several rows, so that writers
-- do not queue for one; a row may be below zero, their sum is what counts.
CREATE TABLE order_counts (
    workspace_id TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    stripe       BIGINT NOT NULL,
    orders       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, status, stripe)
);
