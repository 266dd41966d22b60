-- +goose Up

-- To whom an invite is mailed, '' where to nobody, and what became of the mail:
-- queued, sent, failed.
ALTER TABLE recipient_invites ADD COLUMN email TEXT NOT NULL DEFAULT '';
ALTER TABLE recipient_invites ADD COLUMN mail_status TEXT NOT NULL DEFAULT '';

CREATE INDEX recipient_invites_unsent ON recipient_invites (created_at) WHERE mail_status = 'queued';
