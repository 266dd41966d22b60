package idempotency

import (
	"context"
	"time"
)

// Row is a committed answer.
type Row struct {
	Request   string // hash of the request that made the row
	Status    int
	Sealed    []byte // the answer, encrypted with a key derived from the caller's Idempotency-Key
	CreatedAt time.Time
}

// Store finds rows. The commit of a command writes the command's row itself.
type Store interface {
	// Answer finds the row of a key, if it was written after since.
	Answer(ctx context.Context, workspaceID, keyHash string, since time.Time) (Row, bool, error)
}
