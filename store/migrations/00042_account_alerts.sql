-- +goose Up

-- Nothing is paid to a frozen bank account. 0: it is not frozen.
ALTER TABLE bank_accounts ADD COLUMN frozen_at BIGINT NOT NULL DEFAULT 0;

-- A change of a bank account, or of where its refunds go, that members are mailed of.
CREATE TABLE account_alerts (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    account_id   TEXT   NOT NULL,
    change       TEXT   NOT NULL, -- added, changed, archived, restored, confirmed, unfrozen, return_address or return_confirmed
    detail       TEXT   NOT NULL, -- which fields, or the new return address
    actor_kind   TEXT   NOT NULL, -- api_key, session or invite
    actor_id     TEXT   NOT NULL,
    remote_ip    TEXT   NOT NULL,
    mail_id      TEXT   NOT NULL, -- '' until it stands in a mail
    used_at      BIGINT NOT NULL, -- when the account was frozen by that mail's link; 0 before
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

CREATE INDEX account_alerts_of_mail ON account_alerts (workspace_id, mail_id, created_at, id);
CREATE INDEX account_alerts_waiting ON account_alerts (created_at) WHERE mail_id = '';

-- A mail to one member, with its link.
CREATE TABLE account_alert_mails (
    workspace_id TEXT   NOT NULL,
    token_hash   TEXT   NOT NULL,
    mail_id      TEXT   NOT NULL, -- the same for all members
    member_id    TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    sealed       TEXT   NOT NULL, -- the token, for the vault; '' once it is mailed
    status       TEXT   NOT NULL, -- queued, sent or failed
    claimed_at   BIGINT NOT NULL, -- when somebody began to send it; 0: nobody does
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, token_hash)
);

CREATE INDEX account_alert_mails_newest ON account_alert_mails (workspace_id, created_at);
CREATE INDEX account_alert_mails_queued ON account_alert_mails (created_at) WHERE status = 'queued';

-- Whose a token is: who opens the link has nothing else.
CREATE TABLE account_alert_directory (
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);
