-- +goose Up

-- How far the comparison with the partner is, and what the last whole round found.
-- One row, so that servers share the work and another goes on where one stopped.
CREATE TABLE matching (
    name             TEXT   NOT NULL PRIMARY KEY,
    version          BIGINT NOT NULL,
    taken_at         BIGINT NOT NULL, -- when a server took the next step; 0: nobody is at it
    workspace_id     TEXT   NOT NULL, -- the last wallet that was looked at in this round
    wallet_id        TEXT   NOT NULL,
    began_at         BIGINT NOT NULL, -- 0: no round is under way
    wallets          BIGINT NOT NULL, -- of this round
    differences      BIGINT NOT NULL,
    failed           BIGINT NOT NULL, -- wallets that could not be compared
    ended_at         BIGINT NOT NULL, -- of the last whole round
    last_wallets     BIGINT NOT NULL,
    last_differences BIGINT NOT NULL,
    last_failed      BIGINT NOT NULL
);

CREATE INDEX withdraw_addresses_of_wallet ON withdraw_addresses (workspace_id, partner_wallet_id);
