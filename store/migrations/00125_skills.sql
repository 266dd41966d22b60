-- +goose Up
-- Functions that agents call over HTTP. Deleted ones stay.
CREATE TABLE skills (
    workspace_id  TEXT   NOT NULL,
    id            TEXT   NOT NULL,
    environment   TEXT   NOT NULL,
    name          TEXT   NOT NULL,
    description   TEXT   NOT NULL,
    url           TEXT   NOT NULL,
    method        TEXT   NOT NULL,
    auth_type     TEXT   NOT NULL, -- none, api_key, bearer
    auth_sealed   TEXT   NOT NULL, -- by the vault, '': none
    is_public     BIGINT NOT NULL,
    subtype       TEXT   NOT NULL, -- x402, mcp, http, internal
    cost_usdc     BIGINT NOT NULL, -- micro-USD for each call
    pay_to        TEXT   NOT NULL,
    network       TEXT   NOT NULL,
    schema_input  TEXT   NOT NULL, -- JSON Schema, '': not said
    schema_output TEXT   NOT NULL,
    health        TEXT   NOT NULL, -- unknown, healthy, unhealthy
    failures      BIGINT NOT NULL, -- checks that failed since the last that did not
    http_status   BIGINT NOT NULL, -- of the last check, 0: no answer
    latency_ms    BIGINT NOT NULL,
    reason        TEXT   NOT NULL, -- why the last check failed, '': it did not
    checked_at    BIGINT NOT NULL, -- 0: never
    due_at        BIGINT NOT NULL, -- when a public one is checked next
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    deleted_at    BIGINT NOT NULL, -- 0: is there
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX skills_newest ON skills (workspace_id, created_at, id);

-- Which skills every workspace of the environment sees, and whose they are.
CREATE TABLE public_skills (
    id           TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    environment  TEXT NOT NULL
);
CREATE INDEX public_skills_of ON public_skills (environment, workspace_id, id);

-- Which skills an agent may call. What was taken off the list stays as a row.
CREATE TABLE agent_tools (
    workspace_id       TEXT   NOT NULL, -- the agent's
    agent_id           TEXT   NOT NULL,
    skill_id           TEXT   NOT NULL,
    skill_workspace_id TEXT   NOT NULL, -- its owner's
    added_at           BIGINT NOT NULL,
    removed_at         BIGINT NOT NULL, -- 0: on the list
    PRIMARY KEY (workspace_id, agent_id, skill_id)
);

-- +goose Down
DROP TABLE agent_tools;
DROP TABLE public_skills;
DROP TABLE skills;
