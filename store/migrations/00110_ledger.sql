-- +goose Up

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
