package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/railkit/railkit/platform/audit"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/store/internal/sqldb"
)

// errProbed undoes the transaction of a probe that went well.
var errProbed = errors.New("store: the audit record was tried")

// changes are what the database must refuse, of the probe's own row.
var changes = []struct{ what, statement string }{
	{"changing a row", "UPDATE audit SET detail = '' WHERE workspace_id = ''"},
	{"removing a row", "DELETE FROM audit WHERE workspace_id = ''"},
	{"removing the head of a chain", "DELETE FROM audit_heads WHERE workspace_id = ''"},
}

// ProbeAudit writes an entry, tries to change it, and undoes all of it. A server
// that cannot write the record, or could change it, must not start.
func (s *Store) ProbeAudit(ctx context.Context) error {
	err := s.db.Transact(ctx, func(t *sqldb.Tx) error {
		if err := probe(ctx, t); err != nil {
			return err
		}
		return errProbed
	})
	if errors.Is(err, errProbed) {
		_, err = s.AuditAfter(ctx, "", audit.Place{}, 1)
	}
	if err != nil {
		return fmt.Errorf(
			"the audit record is not as it must be, and without it nothing may change: %w", explainDenied(err),
		)
	}
	return nil
}

func probe(ctx context.Context, t *sqldb.Tx) error {
	err := t.Audit(audit.Entry{Actor: audit.System}, command.Audit{Action: "audit.probe"})
	if err == nil {
		err = t.WriteRecord(ctx)
	}
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := refused(ctx, t, c.statement); err != nil {
			return fmt.Errorf("%s: %w", c.what, err)
		}
	}
	return nil
}

// refused wants the statement to fail, by a trigger or for want of a privilege.
func refused(ctx context.Context, t *sqldb.Tx, statement string) error {
	if _, err := t.Handle.ExecContext(ctx, "SAVEPOINT probe"); err != nil {
		return err
	}
	_, err := t.Handle.ExecContext(ctx, statement)
	if err == nil {
		return errors.New("the database allows it: a trigger of migration 12 is missing or switched off")
	}
	_, err = t.Handle.ExecContext(ctx, "ROLLBACK TO SAVEPOINT probe")
	return err
}
