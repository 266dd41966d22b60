-- +goose Up

-- What the partner said without being asked, as it said it. Whose it is, is found
-- out afterwards, so that no row has a workspace.
CREATE TABLE partner_notices (
    id          TEXT   NOT NULL PRIMARY KEY,
    partner     TEXT   NOT NULL,
    event_id    TEXT   NOT NULL,
    category    TEXT   NOT NULL,
    object_id   TEXT   NOT NULL,
    customer_id TEXT   NOT NULL, -- at the partner, '' where it is not said
    address_id  TEXT   NOT NULL, -- of a drain's liquidation address, or ''
    state       TEXT   NOT NULL, -- received, done, unmatched, ignored
    seen        BIGINT NOT NULL, -- how often it came
    body        TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    handled_at  BIGINT NOT NULL  -- 0: not yet
);

-- An event that is used again for another object is another notice.
CREATE UNIQUE INDEX partner_notices_once ON partner_notices (partner, event_id, object_id);
CREATE INDEX partner_notices_in ON partner_notices (state, created_at, id);

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
