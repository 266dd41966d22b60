-- +goose Up
-- Mails that the users of a sub-organization get, or got, about a passkey that can be backed up from now on.
CREATE TABLE passkey_notices (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    credential_id       TEXT   NOT NULL,
    email               TEXT   NOT NULL, -- of its user
    noticed_at          BIGINT NOT NULL, -- by the enclave's clock
    mailed              BIGINT NOT NULL, -- 1: each user was mailed
    updated_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX passkey_notices_waiting ON passkey_notices (mailed, updated_at);

-- +goose Down
DROP TABLE passkey_notices;
