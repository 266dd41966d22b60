-- +goose Up

-- The database's own clock, which all servers share, in microseconds.
CREATE VIEW database_clock AS SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) AS at;
