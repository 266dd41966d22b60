-- +goose Up
-- Files that belong to the form about a workspace's business.
CREATE TABLE kyb_documents (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    kind         TEXT   NOT NULL,
    media_type   TEXT   NOT NULL,
    size         BIGINT NOT NULL, -- bytes, before they were sealed
    sealed       TEXT   NOT NULL, -- its name and whose it is
    content      TEXT   NOT NULL, -- sealed
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- +goose Down
DROP TABLE kyb_documents;
