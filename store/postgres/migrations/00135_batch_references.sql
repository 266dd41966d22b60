-- +goose Up

-- The references of rows from before they had a column. A wrong row's may be anything.
UPDATE batch_rows SET reference = COALESCE(CAST(shown AS JSON) ->> 'reference', '') WHERE quote_id <> '';
