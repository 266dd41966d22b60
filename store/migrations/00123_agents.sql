-- +goose Up
-- What the first round of a new agent asked for; the second one is made of it.
CREATE TABLE agent_drafts (
    workspace_id TEXT   NOT NULL,
    request_id   TEXT   NOT NULL,
    description  TEXT   NOT NULL,
    asked        TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, request_id)
);

-- That there is an agent. Its state, limits and secret are the signer's.
CREATE TABLE agents (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    wallet_id           TEXT   NOT NULL,
    name                TEXT   NOT NULL,
    folded_name         TEXT   NOT NULL,
    description         TEXT   NOT NULL,
    asked               TEXT   NOT NULL,
    secret_proof        TEXT   NOT NULL DEFAULT '', -- JSON: the signer's statement with the sealed secret, '': in clear
    created_at          BIGINT NOT NULL,
    deleted             BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX agents_newest ON agents (workspace_id, created_at, id);

-- +goose Down
DROP TABLE agents;
DROP TABLE agent_drafts;
