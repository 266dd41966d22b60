-- +goose Up

-- Who is paid.
CREATE TABLE recipients (
    workspace_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    folded_name    TEXT   NOT NULL, -- lower case: as which it is searched
    email          TEXT   NOT NULL, -- '' where none is known
    owner_type     TEXT   NOT NULL, -- individual or business
    street         TEXT   NOT NULL,
    city           TEXT   NOT NULL,
    state          TEXT   NOT NULL,
    postal_code    TEXT   NOT NULL,
    country        TEXT   NOT NULL, -- ISO 3166, two letters
    is_self        BIGINT NOT NULL, -- the workspace's own bank accounts
    status         TEXT   NOT NULL, -- active or archived
    pending_reason TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE INDEX recipients_newest ON recipients (workspace_id, status, created_at, id);

-- Where they are paid. The numbers are sealed; shown is what may be seen of them.
CREATE TABLE bank_accounts (
    workspace_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    recipient_id   TEXT   NOT NULL,
    currency       TEXT   NOT NULL,
    rail           TEXT   NOT NULL,
    country        TEXT   NOT NULL,
    bank_name      TEXT   NOT NULL,
    street         TEXT   NOT NULL, -- the address that the bank has of its holder
    city           TEXT   NOT NULL,
    state          TEXT   NOT NULL,
    postal_code    TEXT   NOT NULL,
    holder_country TEXT   NOT NULL,
    shown          TEXT   NOT NULL, -- JSON: the number's end, and what is no secret
    sealed         TEXT   NOT NULL, -- of the details, for the vault
    fingerprint    TEXT   NOT NULL, -- keyed: the same number has the same one
    wanted         TEXT   NOT NULL, -- sealed change that the partner has yet to take, '' where none
    registration   TEXT   NOT NULL, -- provisioning, pending, active, rejected or closed
    reason         TEXT   NOT NULL,
    is_active      BIGINT NOT NULL, -- 0: archived
    origin         TEXT   NOT NULL, -- of the call that asked for it: the same again gets the same answer
    partner_key    TEXT   NOT NULL, -- of the call to the partner
    keyed_at       BIGINT NOT NULL,
    partner_id     TEXT   NOT NULL, -- '' until the partner has it
    tried_at       BIGINT NOT NULL, -- when the partner was last asked; 0: nobody is asking
    payable_at     BIGINT NOT NULL,
    confirmed_by   TEXT   NOT NULL, -- member who did not want to wait until then
    version        BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE UNIQUE INDEX bank_accounts_once ON bank_accounts (workspace_id, recipient_id, fingerprint) WHERE registration <> 'rejected';
CREATE INDEX bank_accounts_of ON bank_accounts (workspace_id, recipient_id, created_at, id);
CREATE INDEX bank_accounts_waiting ON bank_accounts (tried_at) WHERE registration IN ('provisioning', 'pending') OR wanted <> '';

-- Found by the partner's id, without a workspace.
CREATE TABLE bank_account_directory (
    partner_id   TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    account_id   TEXT NOT NULL
);

-- A workspace at the partner: one, for as long as both live.
CREATE TABLE partner_customers (
    workspace_id TEXT   NOT NULL PRIMARY KEY,
    partner_key  TEXT   NOT NULL, -- of the call that makes it
    customer_id  TEXT   NOT NULL, -- '' until the partner has it
    keyed_at     BIGINT NOT NULL,
    status       TEXT   NOT NULL, -- the partner's, '' until it said one
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
