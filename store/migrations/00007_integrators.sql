-- +goose Up

ALTER TABLE workspaces ADD COLUMN email TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN kyb_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE workspaces ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE workspaces ADD COLUMN folded_name TEXT NOT NULL DEFAULT ''; -- lower case, to search in any case
ALTER TABLE workspaces ADD COLUMN folded_email TEXT NOT NULL DEFAULT '';
UPDATE workspaces SET folded_name = LOWER(name), updated_at = created_at;

-- The list of all workspaces is the operator's: it has no workspace to come first.
CREATE INDEX workspaces_newest ON workspaces (environment, created_at, id);

ALTER TABLE api_keys ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE api_keys ADD COLUMN networks TEXT NOT NULL DEFAULT '[]'; -- JSON array of CIDR; none: from everywhere
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT NOT NULL DEFAULT 0;

CREATE INDEX api_keys_newest ON api_keys (workspace_id, created_at, id);
