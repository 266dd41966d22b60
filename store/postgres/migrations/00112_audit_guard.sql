-- +goose Up

-- Against mistakes: who owns the tables can also drop this. It stands in the way
-- of the program and of a hasty statement; a role that may not change these rows
-- stands in the way of more.

-- +goose StatementBegin
CREATE FUNCTION audit_refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'rows of % are only ever added', TG_TABLE_NAME;
END $$;
-- +goose StatementEnd

CREATE TRIGGER audit_keeps_rows BEFORE UPDATE OR DELETE ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_keeps_all BEFORE TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_heads_lose_none BEFORE DELETE ON audit_heads
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_heads_lose_all BEFORE TRUNCATE ON audit_heads
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
