-- +goose Up

-- The clock of this machine, in microseconds.
CREATE VIEW database_clock AS SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER) AS at;
