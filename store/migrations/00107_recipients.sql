-- +goose Up

-- Who is paid.
CREATE TABLE recipients (
    workspace_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    name           TEXT   NOT NULL,
    folded_name    TEXT   NOT NULL, -- lower case: as which it is searched
    email          TEXT   NOT NULL, -- '' where none is known
    owner_type     TEXT   NOT NULL, -- individual or business
    street         TEXT   NOT NULL,
    city           TEXT   NOT NULL,
    state          TEXT   NOT NULL,
    postal_code    TEXT   NOT NULL,
    country        TEXT   NOT NULL, -- ISO 3166, two letters
    is_self        BIGINT NOT NULL, -- the workspace's own bank accounts
    status         TEXT   NOT NULL, -- active or archived
    pending_reason TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX recipients_newest ON recipients (workspace_id, status, created_at, id);

-- Where they are paid. The numbers are sealed; shown is what may be seen of them.
CREATE TABLE bank_accounts (
    workspace_id   TEXT   NOT NULL,
    id             TEXT   NOT NULL,
    recipient_id   TEXT   NOT NULL,
    currency       TEXT   NOT NULL,
    rail           TEXT   NOT NULL,
    country        TEXT   NOT NULL,
    bank_name      TEXT   NOT NULL,
    street         TEXT   NOT NULL, -- the address that the bank has of its holder
    city           TEXT   NOT NULL,
    state          TEXT   NOT NULL,
    postal_code    TEXT   NOT NULL,
    holder_country TEXT   NOT NULL,
    shown          TEXT   NOT NULL, -- JSON: the number's end, and what is no secret
    sealed         TEXT   NOT NULL, -- of the details, for the vault
    fingerprint    TEXT   NOT NULL, -- keyed: the same number has the same one
    wanted         TEXT   NOT NULL, -- sealed change that the partner has yet to take, '' where none
    registration   TEXT   NOT NULL, -- provisioning, pending, active, rejected or closed
    reason         TEXT   NOT NULL,
    is_active      BIGINT NOT NULL, -- 0: archived
    origin         TEXT   NOT NULL, -- of the call that asked for it: the same again gets the same answer
    partner_key    TEXT   NOT NULL, -- of the call to the partner
    keyed_at       BIGINT NOT NULL,
    partner_id     TEXT   NOT NULL, -- '' until the partner has it
    tried_at       BIGINT NOT NULL, -- when the partner was last asked; 0: nobody is asking
    payable_at     BIGINT NOT NULL,
    frozen_at      BIGINT NOT NULL DEFAULT 0, -- nothing is paid to it since then; 0: it is not frozen
    confirmed_by   TEXT   NOT NULL, -- member who did not want to wait until then
    version        BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE UNIQUE INDEX bank_accounts_once ON bank_accounts (workspace_id, recipient_id, fingerprint) WHERE registration <> 'rejected';
CREATE INDEX bank_accounts_of ON bank_accounts (workspace_id, recipient_id, created_at, id);
CREATE INDEX bank_accounts_waiting ON bank_accounts (tried_at) WHERE registration IN ('provisioning', 'pending') OR wanted <> '';

-- Found by the partner's id, without a workspace.
CREATE TABLE bank_account_directory (
    partner_id   TEXT NOT NULL PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    account_id   TEXT NOT NULL
);

-- A workspace at the partner: one, for as long as both live.
CREATE TABLE partner_customers (
    workspace_id TEXT   NOT NULL PRIMARY KEY,
    partner_key  TEXT   NOT NULL, -- of the call that makes it
    customer_id  TEXT   NOT NULL, -- '' until the partner has it
    keyed_at     BIGINT NOT NULL,
    status       TEXT   NOT NULL, -- the partner's, '' until it said one
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);

-- The link by which a recipient enters its bank account: the newest one only.
CREATE TABLE recipient_invites (
    workspace_id TEXT   NOT NULL,
    recipient_id TEXT   NOT NULL,
    token_hash   TEXT   NOT NULL,
    sealed       TEXT   NOT NULL, -- the token, for the vault; '' once the link is over
    account_id   TEXT   NOT NULL, -- that was entered with it, '' before
    email        TEXT   NOT NULL, -- to whom the link is mailed, '' where to nobody
    mail_status  TEXT   NOT NULL, -- queued, sent or failed, '' where there is no mail
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL, -- with its recipient's archiving, 0 before
    PRIMARY KEY (workspace_id, recipient_id)
);
CREATE INDEX recipient_invites_unsent ON recipient_invites (created_at) WHERE mail_status = 'queued';

-- Whose a token is, also one that was replaced: who opens it has nothing else.
CREATE TABLE recipient_invite_directory (
    token_hash   TEXT   NOT NULL PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    recipient_id TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);

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
