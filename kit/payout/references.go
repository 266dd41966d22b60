package payout

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"
)

// The prefixes of references.
const (
	OffRampReference = "OFR"
	RefundReference  = "RFD"
)

// crockford is base 32 without the letters that are read as digits.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// draws is how often a reference is drawn at most. A day has about a million;
// with half of them taken all draws fail once in 10^12 calls.
const draws = 40

var errNoReference = errors.New("payout: no free reference was drawn")

// NewReference takes a reference for an order: OFR-20261121-7K3M.
func NewReference(ctx context.Context, tx OrderTx, prefix, workspaceID, orderID string, at time.Time) (string, error) {
	return newReference(ctx, tx, prefix, workspaceID, orderID, at, rand.Reader)
}

func newReference(ctx context.Context, tx OrderTx, prefix, workspaceID, orderID string, at time.Time, random io.Reader) (string, error) {
	for range draws {
		var four [4]byte
		if _, err := io.ReadFull(random, four[:]); err != nil {
			return "", err
		}
		for i, b := range four {
			four[i] = crockford[b%32]
		}
		reference := prefix + "-" + at.UTC().Format("20060102") + "-" + string(four[:])
		free, err := tx.ClaimReference(ctx, reference, workspaceID, orderID)
		if err != nil || free {
			return reference, err
		}
	}
	return "", errNoReference
}
