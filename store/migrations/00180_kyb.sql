-- +goose Up
-- The form about a workspace's business, as its members last left it.
CREATE TABLE kyb_drafts (
    workspace_id TEXT   NOT NULL PRIMARY KEY,
    version      BIGINT NOT NULL,
    sections     TEXT   NOT NULL, -- JSON: the version that last changed each section
    sealed       TEXT   NOT NULL,
    updated_at   BIGINT NOT NULL
);

-- Forms as they were handed in, and what became of each. Of a workspace the one with the highest number counts.
CREATE TABLE kyb_submissions (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    number       BIGINT NOT NULL,
    version      BIGINT NOT NULL, -- of the draft
    state        TEXT   NOT NULL,
    reason       TEXT   NOT NULL,
    sealed       TEXT   NOT NULL,
    check_at     BIGINT NOT NULL, -- when the job looks at it next; 0: it waits for the operator, or is decided
    created_at   BIGINT NOT NULL,
    decided_at   BIGINT NOT NULL, -- 0: not yet
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX kyb_submissions_number ON kyb_submissions (workspace_id, number);
CREATE INDEX kyb_submissions_check ON kyb_submissions (check_at);
CREATE INDEX kyb_submissions_time ON kyb_submissions (created_at, id);

-- The last submission of each workspace, without what is in it.
CREATE VIEW kyb_cases AS
SELECT s.workspace_id, s.id, s.state, s.reason, s.created_at, s.decided_at, w.name AS workspace_name, w.environment
FROM kyb_submissions s JOIN workspaces w ON w.id = s.workspace_id
WHERE s.number = (SELECT MAX(l.number) FROM kyb_submissions l WHERE l.workspace_id = s.workspace_id);

-- +goose Down
DROP VIEW kyb_cases;
DROP TABLE kyb_submissions;
DROP TABLE kyb_drafts;
