package ledger

import (
	"math"

	"github.com/railkit/railkit/chain/solana"
)

// Chain is what a transaction needs to know of blocks.
type Chain struct {
	Blockhash [32]byte            // the newest; durable nonces advance to it
	Recent    func([32]byte) bool // reports whether a transaction may still name a blockhash
	Unsigned  bool                // nobody looks at signatures: to try what is not signed yet
}

// Execute judges a transaction in the order in which the network does:
//
//	form, signatures, blockhash or durable nonce, compute budget    refused: nothing is paid
//	who pays has an account, enough for the fee, and what is left is enough to stay
//	each instruction, until one fails                               landed: the fee is paid
//	what is left in each account is enough to stay
//
// Of one that fails only the fee stays, and the advance of the durable nonce that it used.
func (l *Ledger) Execute(tx solana.Transaction, c Chain) Outcome {
	e := &execution{ledger: l, message: tx.Message, chain: c}
	if err := e.admit(tx); err != nil {
		return Outcome{Err: err}
	}
	fee, err := e.budget()
	if err != nil {
		return Outcome{Err: err}
	}
	if err := e.pay(fee); err != nil {
		return Outcome{Err: err}
	}
	if e.loadsNothing() {
		return Outcome{Err: MaxLoadedAccountsDataSizeExceeded}
	}
	e.load()
	err = e.run()
	if err == nil {
		err = e.checkRent()
	}
	if err != nil {
		e.fallBack()
	}
	for at, a := range e.accounts {
		l.Put(at, *a)
	}
	return Outcome{Landed: true, Fee: fee, Err: err}
}

// execution is one transaction on its way.
type execution struct {
	ledger   *Ledger
	message  solana.Message
	chain    Chain
	accounts map[solana.Address]*Account // all that the message names, as they are now
	paid     map[solana.Address]Account  // as they are if it fails: the fee is paid, the nonce has advanced
}

// admit refuses what no block takes.
func (e *execution) admit(tx solana.Transaction) error {
	if _, err := tx.Encode(); err != nil {
		return SanitizeFailure
	}
	if len(tx.Lookups) > 0 || e.isUnmodelled() {
		return Unmodelled
	}
	if !e.chain.Unsigned && (len(tx.Missing()) > 0 || tx.Verify() != nil) {
		return SignatureFailure
	}
	e.paid = map[solana.Address]Account{}
	if !e.chain.Recent(tx.Blockhash) && !e.usesNonce() {
		return BlockhashNotFound
	}
	return nil
}

// budget gives the fee: what the message asks for may be wrong in itself.
func (e *execution) budget() (uint64, error) {
	var priority uint64
	if c := e.message.Config; e.message.Version == solana.V1 {
		if c.PriorityFee != nil {
			priority = *c.PriorityFee
		}
	} else {
		b, err := readBudget(e.message)
		if err != nil {
			return 0, err
		}
		priority = b.fee()
	}
	fee := solana.FeePerSignature * uint64(e.message.Header.Signers)
	return fee + min(priority, math.MaxUint64-fee), nil
}

// pay takes the fee, and refuses an account that cannot pay it.
func (e *execution) pay(fee uint64) error {
	payer := e.message.Keys[0]
	a, found := e.ledger.Account(payer)
	if !found {
		return AccountNotFound
	}
	var keep uint64
	switch {
	case a.Owner != solana.SystemProgram:
		return InvalidAccountForFee
	case len(a.Data) == nonceSize && readNonce(a.Data).initialized:
		keep = e.ledger.MinimumBalance(nonceSize)
	case len(a.Data) > 0:
		return InvalidAccountForFee
	}
	if a.Lamports < keep || a.Lamports-keep < fee {
		return InsufficientFundsForFee
	}
	before := a
	if a.Lamports -= fee; !e.ledger.mayStay(before, a) {
		return AccountError{InsufficientFundsForRent, 0}
	}
	if advanced, is := e.paid[payer]; is { // the nonce's account itself pays
		a.Data = advanced.Data
	}
	e.paid[payer] = a
	return nil
}

// loadsNothing reports whether a v1 message does not say how many bytes of accounts it may load: then it may load none.
func (e *execution) loadsNothing() bool {
	n := e.message.Config.LoadedBytes
	return e.message.Version == solana.V1 && (n == nil || *n == 0)
}

// load takes copies of all accounts.
func (e *execution) load() {
	e.accounts = map[solana.Address]*Account{}
	for _, k := range e.message.Keys {
		a, _ := e.ledger.Account(k)
		if k == e.message.Keys[0] {
			a.Lamports = e.paid[k].Lamports
		}
		e.accounts[k] = &a
	}
}

// fallBack takes everything back but what is paid in any case.
func (e *execution) fallBack() {
	e.accounts = map[solana.Address]*Account{}
	for k, a := range e.paid {
		e.accounts[k] = &a
	}
}

// run executes the instructions in their order.
func (e *execution) run() error {
	instructions, err := e.message.Resolve()
	if err != nil {
		return SanitizeFailure
	}
	for i, n := range instructions {
		if err := e.frame(n).play(); err != nil {
			return FailedInstruction{i, err}
		}
	}
	return nil
}

// checkRent refuses what leaves an account with too little to stay, and more than nothing.
func (e *execution) checkRent() error {
	for i, k := range e.message.Keys {
		before, _ := e.ledger.Account(k)
		if e.isWritten(k) && !e.ledger.mayStay(before, *e.accounts[k]) {
			return AccountError{InsufficientFundsForRent, i}
		}
	}
	return nil
}

// mayStay compares an account with what it was. It may have nothing, or enough; one that has had too little, from times
// when that was allowed, may have less of it, but neither more nor other data.
func (l *Ledger) mayStay(before, after Account) bool {
	tooLittle := func(a Account) bool { return a.Lamports > 0 && a.Lamports < l.MinimumBalance(len(a.Data)) }
	if !tooLittle(after) {
		return true
	}
	return tooLittle(before) && len(before.Data) == len(after.Data) && after.Lamports <= before.Lamports
}

// isUnmodelled finds an instruction that is not played here, so that it is refused before anything is paid.
func (e *execution) isUnmodelled() bool {
	for _, c := range e.message.Instructions {
		program := e.message.Keys[c.Program]
		played := isPlayed(program) || program == e.ledger.Forwarder
		if !played || program == solana.TokenProgram && isUnmodelledToken(c.Data) {
			return true
		}
	}
	return false
}
