-- +goose Up
CREATE TABLE approvals (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL,
    kind                TEXT   NOT NULL, -- of the row that waits: activity, transaction
    subject             TEXT   NOT NULL, -- its id
    activity            TEXT   NOT NULL, -- what its body asks for
    sub_organization_id TEXT   NOT NULL,
    wallet_id           TEXT   NOT NULL, -- '' where it is no signing
    fingerprint         TEXT   NOT NULL,
    reason              TEXT   NOT NULL,
    requester           TEXT   NOT NULL, -- user, '' where nobody stamped it
    requested_by        TEXT   NOT NULL, -- credential of the API that brought it
    cost_usd            TEXT   NOT NULL,
    required            BIGINT NOT NULL,
    votes               TEXT   NOT NULL, -- JSON array
    state               TEXT   NOT NULL, -- pending, approved, rejected, expired
    comment             TEXT   NOT NULL, -- of who rejected it, or what became of it
    proof               TEXT   NOT NULL, -- of the enclave, that it holds it
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    expires_at          BIGINT NOT NULL,
    resolved_at         BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE INDEX approvals_listed ON approvals (workspace_id, state, created_at, id);
CREATE INDEX approvals_of_subject ON approvals (workspace_id, subject);
CREATE INDEX approvals_waiting ON approvals (state, updated_at);
