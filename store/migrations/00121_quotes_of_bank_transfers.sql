-- +goose Up

-- The bank transfer that pays for a quote; 0 and '' of a quote that stablecoin pays for.
ALTER TABLE quotes ADD COLUMN funding BIGINT NOT NULL DEFAULT 0;
ALTER TABLE quotes ADD COLUMN funding_currency TEXT NOT NULL DEFAULT '';
