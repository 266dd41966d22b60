-- +goose Up

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

CREATE TABLE ledger_transactions (
    workspace_id TEXT   NOT NULL,
    ref          TEXT   NOT NULL,
    kind         TEXT   NOT NULL, -- what for
    order_id     TEXT   NOT NULL, -- '' where it is no order's
    state        TEXT   NOT NULL, -- pending, posted, voided
    digest       TEXT   NOT NULL, -- of the entries: what is posted is what was pending
    created_at   BIGINT NOT NULL,
    settled_at   BIGINT NOT NULL, -- when it was posted or voided, 0 while it is pending
    PRIMARY KEY (workspace_id, ref)
);

CREATE INDEX ledger_transactions_of_order ON ledger_transactions (workspace_id, order_id) WHERE order_id <> '';
CREATE INDEX ledger_transactions_pending ON ledger_transactions (workspace_id, created_at) WHERE state = 'pending';

-- Rows are only ever added, but for their mark.
CREATE TABLE ledger_entries (
    workspace_id TEXT   NOT NULL,
    ref          TEXT   NOT NULL,
    n            BIGINT NOT NULL,
    account      TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    amount       BIGINT NOT NULL, -- minor units
    summed       BIGINT NOT NULL, -- 1: counted in a balance or a checkpoint, or void
    PRIMARY KEY (workspace_id, ref, n)
);

CREATE INDEX ledger_entries_unsummed ON ledger_entries (workspace_id, account, currency, ref) WHERE summed = 0;

-- Of accounts with a floor only. Those that every order touches have none, since
-- all writers would queue for it.
CREATE TABLE ledger_balances (
    workspace_id TEXT   NOT NULL,
    account      TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    posted       BIGINT NOT NULL,
    pending_in   BIGINT NOT NULL,
    pending_out  BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, account, currency)
);

-- Of the other accounts: the sum of the posted entries that are marked so.
CREATE TABLE ledger_checkpoints (
    workspace_id TEXT   NOT NULL,
    account      TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    posted       BIGINT NOT NULL,
    entries      BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, account, currency)
);
