-- +goose Up

-- In which language a member is mailed, and the kinds of mails that it does not want (JSON array).
ALTER TABLE members ADD COLUMN language TEXT NOT NULL DEFAULT 'en';
ALTER TABLE members ADD COLUMN muted TEXT NOT NULL DEFAULT '[]';
ALTER TABLE invitations ADD COLUMN language TEXT NOT NULL DEFAULT 'en';

-- Up to which event of each workspace it is decided who is told. What was there before nobody is told of.
CREATE TABLE notification_cursors (
    workspace_id TEXT   NOT NULL PRIMARY KEY,
    seq          BIGINT NOT NULL
);
INSERT INTO notification_cursors (workspace_id, seq) SELECT workspace_id, events FROM audit_heads WHERE events > 0;

-- One fact that one person is to be told of. The id is made of both.
CREATE TABLE notifications (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL,
    class        TEXT   NOT NULL, -- ordinary or security: never in one mail
    kind         TEXT   NOT NULL,
    subject      TEXT   NOT NULL, -- id of what it is about
    email        TEXT   NOT NULL, -- as given
    folded_email TEXT   NOT NULL, -- lower case: by which mails are gathered
    fact         TEXT   NOT NULL, -- JSON: what was so when it happened
    due_at       BIGINT NOT NULL, -- when it is to be mailed
    created_at   BIGINT NOT NULL,
    mail_id      TEXT   NOT NULL, -- '' until it is in a mail
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX notifications_due ON notifications (due_at) WHERE mail_id = '';
CREATE INDEX notifications_of_person ON notifications (workspace_id, folded_email, class) WHERE mail_id = '';
CREATE INDEX notifications_of_mail ON notifications (workspace_id, mail_id);
CREATE INDEX notifications_old ON notifications (created_at);

-- A mail to one person, with all that was due.
CREATE TABLE notification_mails (
    workspace_id TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- and of the message
    class        TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    folded_email TEXT   NOT NULL,
    status       TEXT   NOT NULL, -- queued, sent, failed or dropped
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX notification_mails_of_person ON notification_mails (workspace_id, folded_email, class, created_at);
CREATE INDEX notification_mails_queued ON notification_mails (created_at) WHERE status = 'queued';
CREATE INDEX notification_mails_old ON notification_mails (created_at);

-- +goose Down
DROP TABLE notification_mails;
DROP TABLE notifications;
DROP TABLE notification_cursors;
ALTER TABLE invitations DROP COLUMN language;
ALTER TABLE members DROP COLUMN muted;
ALTER TABLE members DROP COLUMN language;
