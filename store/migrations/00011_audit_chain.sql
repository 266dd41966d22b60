-- +goose Up

-- Each row of a workspace names the hash of the one before it. What was written
-- before has no place in the chain: seq 0.
ALTER TABLE audit ADD COLUMN before TEXT NOT NULL DEFAULT ''; -- JSON object: what a change of settings found
ALTER TABLE audit ADD COLUMN after TEXT NOT NULL DEFAULT '';  -- JSON object: and what it left
ALTER TABLE audit ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit ADD COLUMN previous_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE audit ADD COLUMN hash TEXT NOT NULL DEFAULT '';

CREATE INDEX audit_chain ON audit (workspace_id, seq, id);

-- The last link of each workspace's chain. Who holds its row writes the next one.
CREATE TABLE audit_heads (
    workspace_id TEXT   NOT NULL PRIMARY KEY,
    seq          BIGINT NOT NULL,
    hash         TEXT   NOT NULL
);
