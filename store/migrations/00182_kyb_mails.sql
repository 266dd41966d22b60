-- +goose Up
-- Mails that tell the admins of a workspace of a decision about its form: one of each decision for each admin.
CREATE TABLE kyb_mails (
    workspace_id TEXT   NOT NULL,
    decision_id  TEXT   NOT NULL,
    member_id    TEXT   NOT NULL,
    state        TEXT   NOT NULL, -- of the form, by the decision
    reason       TEXT   NOT NULL,
    status       TEXT   NOT NULL, -- queued | sent | failed
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, decision_id, member_id)
);
CREATE INDEX kyb_mails_waiting ON kyb_mails (status, created_at);

-- +goose Down
DROP TABLE kyb_mails;
