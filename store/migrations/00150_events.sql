-- +goose Up
-- What happened, for programs that wait for it. An event is written in the transaction of its change, and takes its
-- number while that holds the workspace's audit head: the order of the numbers is the order of the commits.
CREATE TABLE events (
    workspace_id TEXT   NOT NULL,
    seq          BIGINT NOT NULL,
    id           TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    type         TEXT   NOT NULL,
    object_id    TEXT   NOT NULL,
    agent_id     TEXT   NOT NULL,
    data         TEXT   NOT NULL,
    PRIMARY KEY (workspace_id, seq)
);

CREATE INDEX events_of_object ON events (workspace_id, object_id, seq);

-- The last number, and the last one that was removed after 30 days.
ALTER TABLE audit_heads ADD COLUMN events BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_heads ADD COLUMN events_removed BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE audit_heads DROP COLUMN events_removed;
ALTER TABLE audit_heads DROP COLUMN events;
DROP TABLE events;
