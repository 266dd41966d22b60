-- +goose Up

ALTER TABLE denials ADD COLUMN payee TEXT NOT NULL DEFAULT ''; -- name of the payee whose address was observed

CREATE INDEX wallets_of_owner ON wallets (workspace_id, sub_organization_id);

-- Mails that the users of a sub-organization get, or got, about its payees.
CREATE TABLE payee_notices (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    payee               TEXT   NOT NULL, -- JSON of the payee, as it was added or removed
    mailed              BIGINT NOT NULL, -- 1: each user was mailed
    updated_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX payee_notices_waiting ON payee_notices (mailed, updated_at);
