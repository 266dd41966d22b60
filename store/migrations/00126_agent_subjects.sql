-- +goose Up
-- Whose audit entries are an agent's: the subject is the resource of an entry, which is the agent itself, an activity
-- about it, a transaction that funds it, or a payment of it.
CREATE TABLE agent_subjects (
    workspace_id TEXT NOT NULL,
    subject      TEXT NOT NULL,
    agent_id     TEXT NOT NULL,
    PRIMARY KEY (workspace_id, subject)
);
CREATE INDEX agent_subjects_of_agent ON agent_subjects (workspace_id, agent_id, subject);
INSERT INTO agent_subjects (workspace_id, subject, agent_id) SELECT workspace_id, id, id FROM agents;
CREATE INDEX audit_of_resource ON audit (workspace_id, resource, seq, id);
CREATE INDEX approvals_of_activity ON approvals (workspace_id, activity, created_at, id);

-- +goose Down
DROP INDEX approvals_of_activity;
DROP INDEX audit_of_resource;
DROP TABLE agent_subjects;
