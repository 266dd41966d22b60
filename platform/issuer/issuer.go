// Package issuer keeps who issues a token, on networks where that can change: on Solana the mint's authorities, its
// program, decimals and extensions. The signer knows a mint by its address alone. Whoever gets hold of its authority
// can make tokens without end, or freeze those of customers, and the address stays what it was.
//
// What all nodes say at first sight is kept. Once they say something else, nobody is paid in the token and nobody is
// credited, until the operator has looked and accepted it (railkit admin token accept). Other tokens go on.
//
// Read issuer.go, then service.go for what servers do, and accept.go for what the operator does.
package issuer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/platform/record"
)

// Platform is the workspace in whose audit record first sights and acceptances are: none that anybody has.
const Platform = "platform"

// Facts are what nodes say of a token's issuer, in one text: a line for each, "mint authority: 9B5X…".
type Facts string

func factsOf(said []node.Fact) Facts {
	lines := make([]string, len(said))
	for i, f := range said {
		lines[i] = f.Name + ": " + f.Value
	}
	return Facts(strings.Join(lines, "\n"))
}

// Hash is what the operator names when he accepts them.
func (f Facts) Hash() string {
	sum := sha256.Sum256([]byte(f))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Lines are the facts one by one.
func (f Facts) Lines() []string { return strings.Split(string(f), "\n") }

// changes tells what is otherwise now: "mint authority was 9B5X…, is none".
func (f Facts) changes(now Facts) []string {
	was, is := f.byName(), now.byName()
	var all []string
	tell := func(name string) {
		if is[name] != was[name] {
			all = append(all, name+" was "+orNone(was[name])+", is "+orNone(is[name]))
		}
		delete(was, name)
		delete(is, name)
	}
	for _, line := range append(f.Lines(), now.Lines()...) {
		name, _, _ := strings.Cut(line, ": ")
		tell(name)
	}
	return all
}

func (f Facts) byName() map[string]string {
	all := map[string]string{}
	for _, line := range f.Lines() {
		name, value, _ := strings.Cut(line, ": ")
		all[name] = value
	}
	return all
}

func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return value
}

// Token is a listed token of a network whose nodes tell issuers.
type Token struct{ Network, Address, Symbol string }

// Issuer is the row of a token. Where Seen is otherwise than Kept, its issuer changed.
type Issuer struct {
	Token
	Kept   Facts     // at first sight, or accepted since
	KeptAt time.Time // when that was
	Seen   Facts     // what nodes said last
	SeenAt time.Time // when they first said so
}

// Changed tells what is otherwise than what was kept; none where nothing is.
func (i Issuer) Changed() []string {
	if i.Kept == i.Seen {
		return nil
	}
	return i.Kept.changes(i.Seen)
}

// Store keeps the issuers of tokens.
type Store interface {
	record.Writer[Tx]
	// Issuer finds the row of a token; found is false before its first sight.
	Issuer(ctx context.Context, network, token string) (i Issuer, found bool, err error)
	// Issuers lists all, by network and token.
	Issuers(ctx context.Context) ([]Issuer, error)
}

// Tx is what is written of issuers in a transaction. Each returns record.ErrStale where another writer was first.
type Tx interface {
	// KeepIssuer writes the row of a token that has none.
	KeepIssuer(ctx context.Context, i Issuer) error
	// SeeIssuer writes what nodes say now, where they said what was before.
	SeeIssuer(ctx context.Context, was Issuer, seen Facts, at time.Time) error
	// AcceptIssuer keeps what was seen, where that and what was kept are what they were.
	AcceptIssuer(ctx context.Context, was Issuer, at time.Time) error
}
