package record

import (
	"errors"

	"github.com/google/uuid"
)

// NewID is the id of a new row: UUIDv7, so that rows lie in the order of time.
func NewID() string { return uuid.Must(uuid.NewV7()).String() }

// DerivedID is the id of a row that mirrors something of the enclave: a table
// that is rebuilt from the journal gets the same ids, and a retry after a crash
// writes the same row.
func DerivedID(parts ...string) string {
	id := uuid.NameSpaceOID
	for _, p := range parts {
		id = uuid.NewSHA1(id, []byte(p))
	}
	return id.String()
}

// ErrStale is a lost compare-and-swap: the row is not in the state that the
// change starts from.
var ErrStale = errors.New("signing: row is in another state")

// UnlessStale is no error where another was faster with the same.
func UnlessStale(err error) error {
	if errors.Is(err, ErrStale) {
		return nil
	}
	return err
}
