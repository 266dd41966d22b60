package idempotency

import (
	"context"
	"time"
)

// Row is a committed answer.
type Row struct {
	Request   string // hash of the request that made it
	Status    int
	Sealed    []byte // the answer, under a key that only the caller's Idempotency-Key gives
	CreatedAt time.Time
}

// Store finds rows; they are written by the commit they belong to.
type Store interface {
	// Answer finds the row of a key that was made after since.
	Answer(ctx context.Context, workspaceID, keyHash string, since time.Time) (Row, bool, error)
}
