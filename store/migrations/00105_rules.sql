-- +goose Up

-- A cache of what the enclave enforces: these rows decide nothing.
CREATE TABLE policies (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL, -- the enclave's
    sub_organization_id TEXT   NOT NULL,
    wallet_id           TEXT   NOT NULL, -- local id
    name                TEXT   NOT NULL, -- '' where only the enclave remembers the policy
    policy              TEXT   NOT NULL, -- JSON, as the enclave said last
    proof               TEXT   NOT NULL,
    seq                 BIGINT NOT NULL, -- of the enclave's entry that it rests on: an older word changes nothing
    deleted             BIGINT NOT NULL,
    created_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX policies_listed ON policies (workspace_id, deleted, created_at, id);
CREATE INDEX policies_of_owner ON policies (workspace_id, sub_organization_id);

CREATE TABLE approval_configs (
    workspace_id        TEXT   NOT NULL,
    sub_organization_id TEXT   NOT NULL,
    config              TEXT   NOT NULL, -- JSON, as the enclave said last
    proof               TEXT   NOT NULL,
    seq                 BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, sub_organization_id)
);

CREATE TABLE denials (
    workspace_id        TEXT   NOT NULL,
    id                  TEXT   NOT NULL, -- of the body: what is denied is so once
    sub_organization_id TEXT   NOT NULL,
    wallet_id           TEXT   NOT NULL, -- local id
    transaction_id      TEXT   NOT NULL, -- '' where it was never prepared
    policy_id           TEXT   NOT NULL, -- '' where the rule is everybody's
    layer               TEXT   NOT NULL, -- enclave
    rule                TEXT   NOT NULL,
    severity            TEXT   NOT NULL, -- blocked
    field               TEXT   NOT NULL,
    observed            TEXT   NOT NULL,
    limited_to          TEXT   NOT NULL,
    created_at          BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX denials_of_wallet ON denials (workspace_id, wallet_id, created_at, id);

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
