-- +goose Up
-- Mini apps that the operator lists. One that is switched off stays: whoever finds its address has to learn that.
CREATE TABLE mini_apps (
    id             TEXT   NOT NULL PRIMARY KEY,
    environment    TEXT   NOT NULL,
    operator       TEXT   NOT NULL, -- who runs it
    type           TEXT   NOT NULL, -- Swap, Stake, …
    protocol       TEXT   NOT NULL, -- '': none
    wallet         TEXT   NOT NULL, -- address that earns its fees
    contract       TEXT   NOT NULL, -- '': none
    chain_id       BIGINT NOT NULL,
    destination_id BIGINT NOT NULL, -- 0: none
    metadata       TEXT   NOT NULL, -- JSON, checked when it was listed
    active         BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);
CREATE INDEX mini_apps_newest ON mini_apps (environment, created_at, id);

-- +goose Down
DROP TABLE mini_apps;
