// Package families lists the families of networks that Railkit has. A new one is one more entry of the list.
package families

import (
	"errors"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/tron"
)

var all = []chain.Family{evm.Family{}, solana.Family{}, tron.Family{}}

// Add makes one more family known. Tests call it in TestMain, before anything asks for a family; nothing else does.
func Add(f chain.Family) { all = append(all, f) }

// All are the families, in the order in which an address or bytes are offered to them.
func All() []chain.Family { return slices.Clone(all) }

// Of finds the family of a kind.
func Of(k chain.Kind) (chain.Family, bool) {
	return where(func(f chain.Family) bool { return f.Kind() == k })
}

// OfFormat finds the family of an account by its address format.
func OfFormat(addressFormat string) (chain.Family, bool) {
	return where(func(f chain.Family) bool { return f.Form().AddressFormat == addressFormat })
}

// OfType finds the family of exact bytes by the type that an activity names.
func OfType(transactionType string) (chain.Family, bool) {
	return where(func(f chain.Family) bool { return f.TransactionType() == transactionType })
}

func where(is func(chain.Family) bool) (chain.Family, bool) {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i], true
	}
	return nil, false
}

// ParseAddress reads an address for a caller who is not told its network. TypedForms says how addresses are written
// where no family reads it.
func ParseAddress(text string) (canonical string, f chain.Family, ok bool) {
	for _, f := range all {
		if canonical, err := f.ParseAddress(text); err == nil {
			return canonical, f, true
		}
	}
	return "", nil, false
}

// DecodeSigned reads a transaction as it is broadcast, for a caller who is not told its network. Encodings says what is
// read where no family reads it.
func DecodeSigned(raw []byte) (tx chain.Tx, f chain.Family, err error) {
	var why []error
	for _, f := range all {
		tx, _, err := f.DecodeSigned(raw, "")
		if err == nil {
			return tx, f, nil
		}
		why = append(why, err)
	}
	return chain.Tx{}, nil, errors.Join(why...)
}

// Lookup is the spelling under which the store finds an address, whatever case somebody typed it in.
func Lookup(text string) string {
	for _, f := range all {
		if spelled := f.Lookup(text); spelled != text {
			return spelled
		}
	}
	return text
}

// TypedForms says how people write an address, for errors.
func TypedForms() string { return forms(func(f chain.AccountForm) string { return f.Typed }) }

// CanonicalForms says which spelling of an address is canonical, for errors.
func CanonicalForms() string { return forms(func(f chain.AccountForm) string { return f.Canonical }) }

// Encodings says which encodings of transactions are read, for errors.
func Encodings() string { return join(func(f chain.Family) string { return f.Encodings() }) }

// Types says which transaction types there are, for errors.
func Types() string {
	return join(func(f chain.Family) string { return f.TransactionType() })
}

// Kinds says which kinds of networks there are, for errors.
func Kinds() string { return join(func(f chain.Family) string { return string(f.Kind()) }) }

// Accounts says how accounts can be derived, for errors.
func Accounts() string {
	return forms(func(f chain.AccountForm) string {
		return f.Curve + ", " + f.PathFormat + " and " + f.AddressFormat
	})
}

func forms(of func(chain.AccountForm) string) string {
	return join(func(f chain.Family) string { return of(f.Form()) })
}

func join(of func(chain.Family) string) string {
	var texts []string
	for _, f := range all {
		texts = append(texts, of(f))
	}
	return strings.Join(texts, ", or ")
}
