// Package ledger executes transactions of Solana on accounts in memory: the System program with durable nonces, Token,
// associated token accounts, Compute Budget and Memo. It is pure and deterministic: the same accounts, transactions and
// hashes make the same accounts. It has no blocks, no clock and no history; who runs it says which blockhash is the
// newest and which ones still count.
//
// Read ledger.go first, then execute.go for the order in which a transaction is judged, frame.go for what a program may
// do with an account, and a file for each program.
//
// It is held against LiteSVM, which is Solana's own runtime: outcome, error and every byte of every account that a
// transaction names. Not modelled are compute units, the sizes of loaded accounts but for their absence in v1, lookup
// tables, programs other than those above, and three instructions of the Token program (WithdrawExcessLamports,
// UnwrapLamports, Batch). A transaction with one of these is refused as Unmodelled; it never passes as something else.
package ledger

import (
	"bytes"
	"iter"
	"maps"

	"github.com/railkit/railkit/chain/solana"
)

// Account is what lies at an address. One without lamports is not there.
type Account struct {
	Lamports uint64
	Owner    solana.Address // a program; accounts of people are the System program's
	Data     []byte
}

func (a Account) clone() Account {
	a.Data = bytes.Clone(a.Data)
	return a
}

// Ledger is all accounts.
type Ledger struct {
	// Rent is what a byte of an account costs, in lamports, once: 6,960 for years, and less since SIMD-0437.
	Rent uint64
	// Forwarder is the address of the program that calls others for whoever asks; zero: there is none.
	Forwarder solana.Address
	accounts  map[solana.Address]Account
}

// New is an empty ledger.
func New(rent uint64) *Ledger {
	return &Ledger{Rent: rent, accounts: map[solana.Address]Account{}}
}

// Account tells what lies at an address.
func (l *Ledger) Account(at solana.Address) (a Account, found bool) {
	a, found = l.accounts[at]
	return a.clone(), found
}

// Put lays an account at an address, or takes away what is there where it has no lamports.
func (l *Ledger) Put(at solana.Address, a Account) {
	if a.Lamports == 0 {
		delete(l.accounts, at)
		return
	}
	l.accounts[at] = a.clone()
}

// All are the accounts, in no order.
func (l *Ledger) All() iter.Seq2[solana.Address, Account] { return maps.All(l.accounts) }

// Clone is a ledger of its own with the same accounts: to try something out.
func (l *Ledger) Clone() *Ledger {
	// No account that lies in a ledger is written to: Execute replaces it.
	return &Ledger{Rent: l.Rent, Forwarder: l.Forwarder, accounts: maps.Clone(l.accounts)}
}

// metadataSize is what an account costs beside its data, in bytes.
const metadataSize = 128

// MinimumBalance is what an account with so many bytes of data has to have, if it has anything.
func (l *Ledger) MinimumBalance(size int) uint64 { return (metadataSize + uint64(size)) * l.Rent }
