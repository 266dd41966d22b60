-- +goose Up
-- What an agent has spent of a layer of its budget in a UTC month, and what is held for calls that are under way, in
-- nano-USD. No limit is here: limits are the signer's, and no row raises one.
CREATE TABLE agent_spending (
    workspace_id TEXT   NOT NULL,
    agent_id     TEXT   NOT NULL,
    month        TEXT   NOT NULL, -- 2026-11
    layer        TEXT   NOT NULL, -- infra | tokens
    spent        BIGINT NOT NULL,
    held         BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, agent_id, month, layer)
);

-- A call of an agent, from its admission until it is counted (captured) or was none (void).
CREATE TABLE agent_holds (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    agent_id     TEXT   NOT NULL,
    month        TEXT   NOT NULL, -- that admitted it
    infra        BIGINT NOT NULL,
    tokens       BIGINT NOT NULL,
    fingerprint  TEXT   NOT NULL, -- of the body that the signer is asked about; '': the call needs no signer
    state        TEXT   NOT NULL, -- held | captured | void
    created_at   BIGINT NOT NULL, -- by the database's clock, as all times of these tables
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX agent_holds_waiting ON agent_holds (created_at, id) WHERE state = 'held';
CREATE INDEX agent_holds_of_agent ON agent_holds (workspace_id, agent_id, created_at);

-- How many calls a budget has refused, by day. A row for each would let an agent in a loop fill the database.
CREATE TABLE agent_refusals (
    workspace_id TEXT   NOT NULL,
    agent_id     TEXT   NOT NULL,
    day          BIGINT NOT NULL, -- since 1970, UTC
    refused      BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, agent_id, day)
);

-- What an agent says that it did. The id makes a second report of one event count nothing.
CREATE TABLE agent_events (
    workspace_id TEXT   NOT NULL,
    agent_id     TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    type         TEXT   NOT NULL,
    layer        TEXT   NOT NULL, -- that it counts in; '': telemetry
    amount       BIGINT NOT NULL, -- nano-USD
    recipient    TEXT   NOT NULL,
    metadata     TEXT   NOT NULL, -- JSON object
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, agent_id, id)
);
CREATE INDEX agent_events_newest ON agent_events (workspace_id, agent_id, created_at, id);

-- The operator's switches, of the whole platform.
CREATE TABLE platform_switches (
    name       TEXT   NOT NULL PRIMARY KEY, -- agents_kill_switch
    is_on      BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE platform_switches;
DROP TABLE agent_events;
DROP TABLE agent_refusals;
DROP TABLE agent_holds;
DROP TABLE agent_spending;
