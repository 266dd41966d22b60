-- +goose Up

-- How many mails one address was sent lately.
CREATE INDEX recoveries_of_email ON recoveries (workspace_id, email, created_at, id);
