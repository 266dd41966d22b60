-- +goose Up
ALTER TABLE sub_organizations ADD COLUMN email_only BIGINT NOT NULL DEFAULT 0; -- the mail alone recovers

-- What the enclave says of recoveries, and the mails that are still to be sent.
CREATE TABLE recoveries (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL, -- the enclave's
    sub_organization_id TEXT   NOT NULL, -- '' where nobody can be recovered: the answers are alike
    user_id             TEXT   NOT NULL,
    email               TEXT   NOT NULL,
    state               TEXT   NOT NULL, -- requested, pending, completed, cancelled, expired
    bundle              TEXT   NOT NULL, -- sealed to who asked; '' once it is mailed
    body                TEXT   NOT NULL, -- '' until a passkey was made
    fingerprint         TEXT   NOT NULL,
    credential_id       TEXT   NOT NULL,
    label               TEXT   NOT NULL,
    email_only          BIGINT NOT NULL,
    proof               TEXT   NOT NULL,
    owed                TEXT   NOT NULL, -- notices that are to be mailed, each after a comma
    unfinished          BIGINT NOT NULL, -- 1: the job, or the sweeper, has something to do
    ready_at            BIGINT NOT NULL,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    expires_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE INDEX recoveries_of_passkey ON recoveries (workspace_id, credential_id);
CREATE INDEX recoveries_unfinished ON recoveries (unfinished, updated_at);
