-- One text for SQLite and PostgreSQL. Instants are microseconds since 1970 UTC,
-- 0 where there is none. JSON is TEXT. The workspace comes first in every key
-- of tenant data; a directory holds what must be found without a workspace.
--
-- The first version of the tables is 00101 to 00112, a file for each noun. Later
-- migrations are one file each.

-- +goose Up

CREATE TABLE workspaces (
    id           TEXT   NOT NULL PRIMARY KEY,
    name         TEXT   NOT NULL,
    folded_name  TEXT   NOT NULL, -- lower case, to search in any case
    email        TEXT   NOT NULL,
    folded_email TEXT   NOT NULL,
    environment  TEXT   NOT NULL,
    kyb_status   TEXT   NOT NULL,
    kyb_reason   TEXT   NOT NULL,
    modules      TEXT   NOT NULL, -- JSON array
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);

-- The list of all workspaces is the operator's: it has no workspace to come first.
CREATE INDEX workspaces_newest ON workspaces (environment, created_at, id);

CREATE TABLE api_keys (
    workspace_id    TEXT   NOT NULL REFERENCES workspaces (id),
    id              TEXT   NOT NULL,
    name            TEXT   NOT NULL,
    description     TEXT   NOT NULL,
    hash            TEXT   NOT NULL,
    prefix          TEXT   NOT NULL,
    last_four       TEXT   NOT NULL,
    scopes          TEXT   NOT NULL, -- JSON array
    networks        TEXT   NOT NULL, -- JSON array of CIDR; none: from everywhere
    environment     TEXT   NOT NULL,
    limit_standard  BIGINT NOT NULL,
    limit_financial BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    last_used_at    BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    revoked_at      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX api_keys_newest ON api_keys (workspace_id, created_at, id);

CREATE TABLE api_key_directory (
    hash         TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    key_id       TEXT NOT NULL
);

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
    workspace_id  TEXT   NOT NULL,
    id            TEXT   NOT NULL, -- UUIDv7
    at            BIGINT NOT NULL,
    actor         TEXT   NOT NULL, -- api_key or system
    actor_id      TEXT   NOT NULL, -- of the API key
    operation     TEXT   NOT NULL,
    action        TEXT   NOT NULL,
    resource      TEXT   NOT NULL,
    request_id    TEXT   NOT NULL,
    remote_ip     TEXT   NOT NULL,
    detail        TEXT   NOT NULL, -- JSON object
    before        TEXT   NOT NULL, -- JSON object: what a change of settings found
    after         TEXT   NOT NULL, -- JSON object: and what it left
    seq           BIGINT NOT NULL, -- of the row in its workspace's chain, from 1 on
    previous_hash TEXT   NOT NULL, -- of the row before it
    hash          TEXT   NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX audit_chain ON audit (workspace_id, seq, id);

-- The last link of each workspace's chain. Who holds its row writes the next one.
CREATE TABLE audit_heads (
    workspace_id TEXT   NOT NULL PRIMARY KEY,
    seq          BIGINT NOT NULL,
    hash         TEXT   NOT NULL
);
