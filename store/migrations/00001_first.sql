-- One text for SQLite and PostgreSQL. Instants are microseconds since 1970 UTC,
-- 0 where there is none. JSON is TEXT. The workspace comes first in every key
-- of tenant data; a directory holds what must be found without a workspace.

-- +goose Up

CREATE TABLE workspaces (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL,
    environment TEXT   NOT NULL,
    kyb_status  TEXT   NOT NULL,
    modules     TEXT   NOT NULL, -- JSON array
    created_at  BIGINT NOT NULL
);

CREATE TABLE api_keys (
    workspace_id    TEXT   NOT NULL REFERENCES workspaces (id),
    id              TEXT   NOT NULL,
    name            TEXT   NOT NULL,
    hash            TEXT   NOT NULL,
    prefix          TEXT   NOT NULL,
    last_four       TEXT   NOT NULL,
    scopes          TEXT   NOT NULL, -- JSON array
    environment     TEXT   NOT NULL,
    limit_standard  BIGINT NOT NULL,
    limit_financial BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    revoked_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE TABLE api_key_directory (
    hash         TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    key_id       TEXT NOT NULL
);

CREATE TABLE sub_organizations (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    user_id             TEXT   NOT NULL,
    email               TEXT   NOT NULL,
    name                TEXT   NOT NULL,
    recovery_public_key TEXT   NOT NULL,
    proof               TEXT   NOT NULL,
    created_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE TABLE passkeys (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    user_id             TEXT   NOT NULL,
    email               TEXT   NOT NULL,
    credential_id       TEXT   NOT NULL,
    public_key          TEXT   NOT NULL,
    aaguid              TEXT   NOT NULL,
    transports          TEXT   NOT NULL, -- JSON array
    label               TEXT   NOT NULL,
    created_at          BIGINT NOT NULL,
    last_used_at        BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, sub_organization_id) REFERENCES sub_organizations (workspace_id, id)
);

CREATE UNIQUE INDEX passkeys_credential ON passkeys (workspace_id, credential_id);

CREATE TABLE activities (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    kind                TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    wallet_id           TEXT   NOT NULL, -- '' until a wallet is made
    name                TEXT   NOT NULL,
    chain               TEXT   NOT NULL,
    paths               TEXT   NOT NULL, -- JSON array
    body                TEXT   NOT NULL,
    fingerprint         TEXT   NOT NULL,
    preview             TEXT   NOT NULL,
    state               TEXT   NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    expires_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE INDEX activities_of_wallet ON activities (workspace_id, wallet_id, state);
CREATE INDEX activities_waiting ON activities (state, created_at);

CREATE TABLE wallets (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    enclave_id          TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    name                TEXT   NOT NULL,
    folded_name         TEXT   NOT NULL, -- lower case, to search and sort in any case
    proof               TEXT   NOT NULL,
    created_at          BIGINT NOT NULL,
    last_activity       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE UNIQUE INDEX wallets_enclave_id ON wallets (workspace_id, enclave_id);
CREATE INDEX wallets_newest ON wallets (workspace_id, created_at, id);

CREATE TABLE addresses (
    workspace_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    wallet_id      TEXT   NOT NULL,
    address        TEXT   NOT NULL,
    lookup         TEXT   NOT NULL, -- the address in one spelling
    kind           TEXT   NOT NULL,
    chain          TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    path           TEXT   NOT NULL,
    curve          TEXT   NOT NULL,
    address_format TEXT   NOT NULL,
    public_key     TEXT   NOT NULL,
    proof          TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, wallet_id) REFERENCES wallets (workspace_id, id)
);

CREATE UNIQUE INDEX addresses_path ON addresses (workspace_id, wallet_id, path);
CREATE INDEX addresses_lookup ON addresses (workspace_id, lookup);

CREATE TABLE address_directory (
    kind         TEXT NOT NULL, -- of chain: addresses of two families never meet
    lookup       TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    address_id   TEXT NOT NULL,
    PRIMARY KEY (kind, lookup)
);

CREATE TABLE transactions (
    workspace_id         TEXT   NOT NULL,
    id                   TEXT   NOT NULL,
    sub_organization_id  TEXT   NOT NULL,
    wallet_id            TEXT   NOT NULL,
    type                 TEXT   NOT NULL,
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
    reason               TEXT   NOT NULL,
    nonce                BIGINT,
    signed_transaction   TEXT   NOT NULL,
    tx_hash              TEXT   NOT NULL,
    proof                TEXT   NOT NULL,
    block_number         BIGINT NOT NULL,
    block_hash           TEXT   NOT NULL,
    confirmations        BIGINT NOT NULL,
    attempts             BIGINT NOT NULL,
    expires_at           BIGINT NOT NULL,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    broadcast_at         BIGINT NOT NULL,
    mined_at             BIGINT NOT NULL,
    confirmed_at         BIGINT NOT NULL,
    failed_at            BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- Two signed transactions of one address never share a nonce.
CREATE UNIQUE INDEX transactions_nonce ON transactions (workspace_id, chain, from_address, nonce)
    WHERE nonce IS NOT NULL;
CREATE INDEX transactions_newest ON transactions (workspace_id, created_at, id);
CREATE INDEX transactions_of_wallet ON transactions (workspace_id, wallet_id, created_at, id);
CREATE INDEX transactions_waiting ON transactions (state, updated_at);

CREATE TABLE idempotency (
    workspace_id TEXT   NOT NULL,
    key_hash     TEXT   NOT NULL,
    request      TEXT   NOT NULL,
    status       BIGINT NOT NULL,
    sealed       BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, key_hash)
);

CREATE INDEX idempotency_oldest ON idempotency (created_at);

-- Rows are only ever added.
CREATE TABLE audit (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- UUIDv7
    at           BIGINT NOT NULL,
    actor        TEXT   NOT NULL, -- api_key or system
    actor_id     TEXT   NOT NULL, -- of the API key
    operation    TEXT   NOT NULL,
    action       TEXT   NOT NULL,
    resource     TEXT   NOT NULL,
    request_id   TEXT   NOT NULL,
    remote_ip    TEXT   NOT NULL,
    detail       TEXT   NOT NULL, -- JSON object
    PRIMARY KEY (workspace_id, id)
);
