-- +goose Up

-- A cache of the enclave's books of payees: these rows decide nothing.
CREATE TABLE payees (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL, -- the enclave's
    sub_organization_id TEXT   NOT NULL,
    name                TEXT   NOT NULL,
    folded_name         TEXT   NOT NULL, -- lower case, to search in any case
    chain               TEXT   NOT NULL,
    address             TEXT   NOT NULL, -- as the network writes it
    kind                TEXT   NOT NULL,
    bank_account        TEXT   NOT NULL, -- JSON, '' where the address stands for none
    added_at            TEXT   NOT NULL, -- as the enclave writes it
    removed_at          TEXT   NOT NULL, -- '' while it is in the book
    proof               TEXT   NOT NULL, -- '' where the row was restored from the enclave's book
    seq                 BIGINT NOT NULL, -- of the enclave's entry that it rests on: an older word changes nothing
    created_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX payees_listed ON payees (workspace_id, created_at, id);
CREATE INDEX payees_of_owner ON payees (workspace_id, sub_organization_id, created_at, id);
