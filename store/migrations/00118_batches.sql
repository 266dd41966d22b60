-- +goose Up

-- Many payments that are made together or not at all, as they were previewed.
CREATE TABLE batches (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    status       TEXT   NOT NULL, -- ready, invalid, executed, canceled
    row_count    BIGINT NOT NULL,
    wrong_rows   BIGINT NOT NULL,
    content      TEXT   NOT NULL, -- JSON: sums, errors, warnings, addresses
    created_at   BIGINT NOT NULL, -- by the database's clock, like the other two
    expires_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL, -- when it was executed or canceled, 0: neither
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX batches_newest ON batches (workspace_id, created_at, id);

-- Rows are only ever added: that one was executed is told by its quote's order.
CREATE TABLE batch_rows (
    workspace_id TEXT   NOT NULL,
    batch_id     TEXT   NOT NULL,
    n            BIGINT NOT NULL, -- from 1
    quote_id     TEXT   NOT NULL, -- '' of a wrong row
    shown        TEXT   NOT NULL, -- JSON: the row as the preview showed it
    PRIMARY KEY (workspace_id, batch_id, n)
);
