-- +goose Up

-- Against mistakes: who may change tables can also drop this. It stands in the
-- way of the program and of a hasty statement.

-- +goose StatementBegin
CREATE TRIGGER audit_keeps_rows BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'rows of audit are only ever added');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_loses_none BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'rows of audit are only ever added');
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER audit_heads_lose_none BEFORE DELETE ON audit_heads
BEGIN
    SELECT RAISE(ABORT, 'a chain of audit never loses its head');
END;
-- +goose StatementEnd
