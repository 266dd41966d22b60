// Package screen asks lists of denied names and addresses before money leaves.
//
// A list is a Screener: the deny list of a file (deny.go), or a provider that is asked over HTTP (package provider).
// Before a payout is reserved, packages payment and refund ask all lists about the names and addresses that it is for
// (Gate). A hit puts the order into review until an operator releases exactly this hit, or gives the deposit back. If a
// list does not answer, or its answer makes no sense, the order waits in review and the list is asked again: nothing
// passes unasked. Answers are not kept. What an operator released is kept, on the order.
//
// Say that 100 USDC come from an address that the list has as sdn-3. The order is in_review for screening, and its
// timeline says "sender address: sdn-3". An operator looks at it and releases it. The next attempt asks the lists anew:
// sdn-3 for this address does not count any more, sdn-9 for the recipient's name would.
//
// Read screen.go, then gate.go (what an order hears), deny.go and builtin.go (the sandbox's list).
package screen

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/kit/payout/order"
)

// Kind tells names from addresses.
type Kind string

// The kinds.
const (
	Name    Kind = "name"
	Address Kind = "address"
)

// Role is what a name or an address is to the order.
type Role string

// The roles.
const (
	Recipient     Role = "recipient"      // name of the recipient
	AccountOwner  Role = "account_owner"  // name of the bank account's owner, as the bank has it
	Sender        Role = "sender"         // address of a deposit, or name of who sent money to a bank account
	ReturnAddress Role = "return_address" // address that a refund goes to
)

// Subject is a name or an address that is screened.
type Subject struct {
	Kind    Kind
	Role    Role
	Value   string
	Chain   string // of an address: the network's slug
	Country string // of a name: ISO 3166 alpha-2, where it is known
}

// Hit says that a list has a subject.
type Hit struct {
	Subject Subject
	Entry   string // the list's id of its entry
}

// Screener is a list that is asked. An error means that nobody knows whether the subjects are on it.
type Screener interface {
	Screen(context.Context, []Subject) ([]Hit, error)
}

// ErrUnavailable is the error of a list that does not answer, or whose answer cannot be used.
var ErrUnavailable = errors.New("screening: no usable answer")

const (
	mostAsked = 50 // subjects of one question
	mostHits  = 20 // that an order keeps; those beyond them hold it again once these are released
)

// entryForm keeps a list's ids from being anything but ids where people and programs read them.
var entryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// ValidEntry tells whether text can be the id of a list's entry.
func ValidEntry(text string) bool { return entryForm.MatchString(text) }

// Service asks all lists. One without lists finds nothing, as a nil one does.
type Service struct {
	lists []Screener
	log   *slog.Logger
}

// New makes it.
func New(log *slog.Logger, lists ...Screener) *Service { return &Service{lists, log} }

// Check asks all lists about subjects, and returns the hits without those that an operator cleared (order.Hit.Key). An
// error means that a list gave no usable answer: then the money has to wait. Empty values are not asked about.
func (s *Service) Check(ctx context.Context, subjects []Subject, cleared []string) ([]order.Hit, error) {
	if s == nil {
		return nil, nil
	}
	subjects = asked(subjects)
	var hits []order.Hit
	for _, list := range s.lists {
		for part := range slices.Chunk(subjects, mostAsked) {
			found, err := list.Screen(ctx, part)
			if err != nil {
				return nil, err
			}
			for _, h := range found {
				if !slices.Contains(part, h.Subject) || !ValidEntry(h.Entry) {
					return nil, fmt.Errorf("%w: a hit of nothing that was asked about", ErrUnavailable)
				}
				if hit := hitOf(h); !slices.Contains(cleared, hit.Key()) {
					hits = append(hits, hit)
				}
			}
		}
	}
	slices.SortFunc(hits, func(a, b order.Hit) int { return cmp.Compare(a.Key(), b.Key()) })
	hits = slices.Compact(hits)
	return hits[:min(len(hits), mostHits)], nil
}

// asked drops empty values and doubles.
func asked(subjects []Subject) (all []Subject) {
	for _, s := range subjects {
		s.Value = strings.TrimSpace(s.Value)
		if s.Value != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// hitOf is a hit as an order keeps it. The digest tells names apart that differ in more than capitals and spaces.
func hitOf(h Hit) order.Hit {
	s := h.Subject
	value := strings.ToLower(strings.Join(strings.Fields(s.Value), " "))
	if s.Kind == Address {
		value = addressKeys(s.Value)[0]
	}
	digest := sha256.Sum256([]byte(value))
	return order.Hit{Role: string(s.Role), Kind: string(s.Kind), Entry: h.Entry, Of: hex.EncodeToString(digest[:8])}
}

// addressKeys are the spellings under which an address is compared, one by each family of networks. An address of a
// family is the same account on all of its networks.
func addressKeys(address string) (keys []string) {
	address = strings.TrimSpace(address)
	for _, f := range families.All() {
		if _, err := f.ParseAddress(address); err == nil {
			return []string{string(f.Kind()) + ":" + f.Lookup(address)}
		}
	}
	for _, f := range families.All() {
		keys = append(keys, string(f.Kind())+":"+f.Lookup(address))
	}
	return keys
}
