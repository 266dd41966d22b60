-- +goose Up
-- Executions of mini apps, by the transactions that were reported. The id is made of network, transaction and mini app:
-- one transaction counts once for one mini app, whoever reports it.
CREATE TABLE mini_app_executions (
    id           TEXT   NOT NULL PRIMARY KEY,
    environment  TEXT   NOT NULL,
    workspace_id TEXT   NOT NULL, -- who reported it
    mini_app_id  TEXT   NOT NULL,
    chain_id     BIGINT NOT NULL,
    tx_hash      TEXT   NOT NULL,
    user_address TEXT   NOT NULL,
    referrer     TEXT   NOT NULL, -- '': none
    state        TEXT   NOT NULL, -- pending, counted, refused
    reason       TEXT   NOT NULL, -- of a refused one
    type         TEXT   NOT NULL, -- of the action that was executed; '': not counted
    asset        TEXT   NOT NULL, -- native, or a token's contract; '': nothing that is listed left the user
    symbol       TEXT   NOT NULL,
    decimals     BIGINT NOT NULL,
    amount       TEXT   NOT NULL, -- smallest unit
    block        BIGINT NOT NULL, -- of a counted one
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX mini_app_executions_referrer ON mini_app_executions (environment, referrer, created_at, id)
    WHERE state = 'counted';
CREATE INDEX mini_app_executions_app ON mini_app_executions (environment, mini_app_id, created_at, id)
    WHERE state = 'counted';
CREATE INDEX mini_app_executions_pending ON mini_app_executions (updated_at) WHERE state = 'pending';

-- +goose Down
DROP TABLE mini_app_executions;
