-- +goose Up

-- How many orders of each status a workspace has: counting them one by one takes
-- the longer the more there are. Each number is in several rows, so that writers
-- do not queue for one; a row may be below zero, their sum is what counts.
CREATE TABLE order_counts (
    workspace_id TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    stripe       BIGINT NOT NULL,
    orders       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, status, stripe)
);

INSERT INTO order_counts (workspace_id, status, stripe, orders)
SELECT workspace_id, status, 0, COUNT(*) FROM orders GROUP BY workspace_id, status;
