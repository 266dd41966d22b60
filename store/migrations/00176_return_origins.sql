-- +goose Up
-- Origins that the passkey page may lead back to. A removed one stays, so that its mail is sent all the same.
CREATE TABLE return_origins (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- made of workspace and origin
    origin       TEXT   NOT NULL,
    created_by   TEXT   NOT NULL, -- member
    created_at   BIGINT NOT NULL,
    removed_at   BIGINT NOT NULL, -- 0: it counts
    mailed       BIGINT NOT NULL, -- 1: each admin was mailed
    updated_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX return_origins_unmailed ON return_origins (mailed, updated_at);

-- +goose Down
DROP TABLE return_origins;
