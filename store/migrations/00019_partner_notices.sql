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
