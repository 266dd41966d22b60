package cli

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/railkit/railkit/store"
)

// CheckTables compares the database's tables to those that this program works with
// and returns their version. The error says what to run.
func CheckTables(ctx context.Context, db *sql.DB) (int64, error) {
	want, err := store.NewestTables()
	if err != nil {
		return 0, err
	}
	got, err := store.Tables(ctx, db)
	switch {
	case err != nil:
		return 0, errors.New("they are not there, or cannot be read: run railkit migrate as the role that owns them")
	case got < want:
		return got, fmt.Errorf(
			"they are of version %d, this program's of %d: run railkit migrate as the role that owns them", got, want,
		)
	case got > want:
		return got, fmt.Errorf("they are of version %d, this program knows %d: run the newer program", got, want)
	}
	return got, nil
}
