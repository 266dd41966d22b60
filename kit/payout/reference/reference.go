// Package reference makes the names by which people call orders, withdrawal
// addresses, deposit accounts and refunds: OFR-20261121-7K3M. A name is claimed in the transaction that
// uses it, over all workspaces, so that no two things have the same one.
//
// The four characters follow from the id of what is named, so that what is made again after an older database was put
// back has its name again. Where somebody else has that name, the next one that follows from the id is taken, and so
// on. Two things of one day that begin with the same name, one pair in a million, may change places so after a restore.
package reference

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
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

// tries is how many names of one id are tried at most. A day has about a million;
// with half of them taken all tries fail once in 10^12 calls.
const tries = 40

var errNoReference = errors.New("payout: every name that was tried is taken")

// Claims takes names in a transaction.
type Claims interface {
	// ClaimReference takes a reference for an order, or tells that it is taken.
	ClaimReference(ctx context.Context, reference, workspaceID, orderID string) (free bool, err error)
}

// New takes a reference that begins with a prefix for an order, an address or a
// refund, by its id. Its date is that of at: of something that a restore does not change, such as a block.
func New(ctx context.Context, tx Claims, prefix, workspaceID, orderID string, at time.Time) (string, error) {
	day := prefix + "-" + at.UTC().Format("20060102") + "-"
	for try := range tries {
		reference := day + name(prefix, orderID, try)
		free, err := tx.ClaimReference(ctx, reference, workspaceID, orderID)
		if err != nil || free {
			return reference, err
		}
	}
	return "", errNoReference
}

// name is one of the four characters that follow from an id.
func name(prefix, id string, try int) string {
	sum := sha256.Sum256([]byte(prefix + " " + id + " " + strconv.Itoa(try)))
	four := sum[:4]
	for i, b := range four {
		four[i] = crockford[b%32]
	}
	return string(four)
}
