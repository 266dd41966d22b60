-- +goose Up
-- How many calls a minute each agent of a workspace may make; 0: the stock limit.
ALTER TABLE workspaces ADD COLUMN agent_limit_standard BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN agent_limit_financial BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE workspaces DROP COLUMN agent_limit_standard;
ALTER TABLE workspaces DROP COLUMN agent_limit_financial;
