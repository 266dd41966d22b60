-- +goose Up

-- What a payout was said to cost, until when. Rows are only ever added: that a
-- quote was used is told by its order, of which there is one at most.
CREATE TABLE quotes (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    recipient_id        TEXT   NOT NULL,
    bank_account_id     TEXT   NOT NULL,
    withdraw_address_id TEXT   NOT NULL,
    asked               BIGINT NOT NULL, -- minor units of what the caller named
    asked_currency      TEXT   NOT NULL,
    source              TEXT   NOT NULL, -- the address's stablecoin
    destination         TEXT   NOT NULL, -- the bank account's currency
    gross               BIGINT NOT NULL, -- minor units of the source, like the fees
    network_fee         BIGINT NOT NULL,
    platform_fee        BIGINT NOT NULL,
    net                 BIGINT NOT NULL, -- minor units of the destination
    midmarket           TEXT   NOT NULL,
    sell                TEXT   NOT NULL,
    spread              BIGINT NOT NULL, -- basis points between the two
    published_at        BIGINT NOT NULL, -- by the partner's clock
    fetched_at          BIGINT NOT NULL, -- by ours
    created_at          BIGINT NOT NULL, -- by the database's, like the end
    expires_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
