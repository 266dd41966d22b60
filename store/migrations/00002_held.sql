-- +goose Up

-- 1: signed with broadcast:false, and sent only when its owner asks for it.
ALTER TABLE transactions ADD COLUMN held BIGINT NOT NULL DEFAULT 0;
