// Package reference draws the names by which people call orders, withdrawal
// addresses, deposit accounts and refunds: OFR-20261121-7K3M. A name is claimed in the transaction that
// uses it, over all workspaces, so that no two things have the same one.
package reference

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"
)

// The prefixes of references.
const (
	OffRamp       = "OFR"
	OnRamp        = "ONR"
	GlobalPayment = "PAY"
	Refund        = "RFD"
)

// crockford is base 32 without the letters that are read as digits.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// draws is how often a reference is drawn at most. A day has about a million;
// with half of them taken all draws fail once in 10^12 calls.
const draws = 40

var errNoReference = errors.New("payout: no free reference was drawn")

// Claims takes names in a transaction.
type Claims interface {
	// ClaimReference takes a reference for an order, or tells that it is taken.
	ClaimReference(ctx context.Context, reference, workspaceID, orderID string) (free bool, err error)
}

// New takes a reference that begins with a prefix for an order, an address or a
// refund, by its id.
func New(ctx context.Context, tx Claims, prefix, workspaceID, orderID string, at time.Time) (string, error) {
	return draw(ctx, tx, prefix, workspaceID, orderID, at, rand.Reader)
}

func draw(
	ctx context.Context, tx Claims, prefix, workspaceID, orderID string, at time.Time, random io.Reader,
) (string, error) {
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
