-- +goose Up

CREATE TABLE sub_organizations (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    user_id             TEXT   NOT NULL,
    email               TEXT   NOT NULL,
    name                TEXT   NOT NULL,
    recovery_public_key TEXT   NOT NULL,
    email_only          BIGINT NOT NULL DEFAULT 0, -- the mail alone recovers
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

-- A directory of the links of the passkey page: found by the token's hash,
-- without a workspace. Who reads it learns no token.
CREATE TABLE ceremonies (
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    subject      TEXT   NOT NULL, -- id of the activity or transaction; of a registration its challenge
    email        TEXT   NOT NULL, -- of a registration
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    finished_at  BIGINT NOT NULL,
    given        TEXT   NOT NULL  -- digest of what was handed in last, or finished it
);
CREATE INDEX ceremonies_expires ON ceremonies (expires_at);

-- What the enclave says of recoveries, and the mails that are still to be sent.
CREATE TABLE recoveries (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL, -- the enclave's
    sub_organization_id TEXT   NOT NULL, -- '' where nobody can be recovered: the answers are alike
    user_id             TEXT   NOT NULL,
    email               TEXT   NOT NULL,
    state               TEXT   NOT NULL, -- requested, pending, completed, cancelled, expired
    bundle              TEXT   NOT NULL, -- sealed to who asked; '' once it is mailed
    body                TEXT   NOT NULL, -- '' until a passkey was made
    fingerprint         TEXT   NOT NULL,
    credential_id       TEXT   NOT NULL,
    label               TEXT   NOT NULL,
    email_only          BIGINT NOT NULL,
    proof               TEXT   NOT NULL,
    owed                TEXT   NOT NULL, -- notices that are to be mailed, each after a comma
    unfinished          BIGINT NOT NULL, -- 1: the job, or the sweeper, has something to do
    ready_at            BIGINT NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    expires_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX recoveries_of_passkey ON recoveries (workspace_id, credential_id);
CREATE INDEX recoveries_unfinished ON recoveries (unfinished, updated_at);

-- How many mails one address was sent lately.
CREATE INDEX recoveries_of_email ON recoveries (workspace_id, email, created_at, id);
