-- +goose Up
-- The newest entry of the signer's journal that servers have seen. A signer whose journal ends before it, or has another
-- entry in its place, was put back to an older copy of its folder.
CREATE TABLE signer_marks (
    name       TEXT   NOT NULL PRIMARY KEY, -- signer
    generation BIGINT NOT NULL,             -- one more with each confirmation of an operator's
    seq        BIGINT NOT NULL,
    head       TEXT   NOT NULL,             -- hash of the journal up to seq
    seen_at    BIGINT NOT NULL
);

-- Agents that were killed or deleted. They stay so where the signer forgets it.
CREATE TABLE ended_agents (
    workspace_id TEXT   NOT NULL,
    agent_id     TEXT   NOT NULL,
    ended_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, agent_id)
);
