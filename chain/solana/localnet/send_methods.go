package localnet

import (
	"encoding/base64"
	"errors"

	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/ledger"
)

// sendTransaction puts a transaction into a block of its own, or lets it wait for one. It answers the id also of one
// that no block will take, if the caller wanted it not to be tried before: a node passes it on and forgets it.
func sendTransaction(c *Chain, q call) (any, error) {
	o, err := q.options(1)
	if err != nil {
		return nil, err
	}
	w, err := q.transaction(o)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.at(q.node)
	if l.NoV1 && w.tx.Version == solana.V1 {
		return nil, errNoV1
	}
	if w.tx.ID() == "" {
		return nil, refuse(codeParams, "failed to sanitize: the transaction is not signed")
	}
	if !o.SkipPreflight {
		if err := l.preflight(w.tx, o); err != nil {
			return nil, err
		}
	}
	return w.tx.ID(), l.pass(w)
}

var errNoV1 = refuse(codeParams, "failed to deserialize solana_transaction::versioned::VersionedTransaction: "+
	"invalid value: integer `1`, expected a valid transaction message version")

// preflight refuses what would not do what it says.
func (l look) preflight(tx solana.Transaction, o options) error {
	if len(tx.Missing()) > 0 || tx.Verify() != nil {
		return refuse(codeSignature, "Transaction signature verification failure")
	}
	out, _ := l.try(tx, l.newest(o.PreflightCommitment), false)
	if out.Err == nil {
		return nil
	}
	e := refuse(codeSimulation, "Transaction simulation failed: %s", sentence(out.Err))
	e.Data = simulated(tx.Message, out)
	return e
}

// pass gives a transaction to those who make blocks.
func (l look) pass(w waiting) error {
	switch {
	case l.Loses:
		return nil
	case l.byHand:
		return l.write(entry{Wait: w.raw})
	}
	if out, _ := l.try(w.tx, l.head(), false); !out.Landed {
		return nil
	}
	return l.write(entry{Send: [][]byte{w.raw}})
}

// sentence is what nodes say of an error.
func sentence(err error) string {
	for _, known := range []struct {
		err  error
		text string
	}{
		{ledger.BlockhashNotFound, "Blockhash not found"},
		{errAlreadyProcessed, "This transaction has already been processed"},
		{ledger.AccountNotFound, "Attempt to debit an account but found no record of a prior credit."},
		{ledger.InsufficientFundsForFee, "Insufficient funds for fee"},
		{ledger.InvalidAccountForFee, "This account may not be used to pay transaction fees"},
		{ledger.SignatureFailure, "Transaction did not pass signature verification"},
		{ledger.SanitizeFailure, "Transaction failed to sanitize accounts offsets correctly"},
		{ledger.Unmodelled, "Attempt to load a program that does not exist: this chain has a few programs only"},
	} {
		if errors.Is(err, known.err) {
			return known.text
		}
	}
	var failed ledger.FailedInstruction
	if errors.As(err, &failed) {
		return "Error processing Instruction " + failed.Error()[len("instruction "):]
	}
	return err.Error()
}

func simulated(m solana.Message, out ledger.Outcome) object {
	return object{
		"err": errorForm(out.Err), "logs": logs(m, out.Err), "unitsConsumed": unitsOf(m), "accounts": nil,
		"returnData": nil, "innerInstructions": nil, "replacementBlockhash": nil, "fee": out.Fee,
	}
}

// simulateTransaction tries a transaction. Its signatures may be missing, unless the caller wants them looked at.
func simulateTransaction(l look, q call) (any, error) {
	o, err := q.options(1)
	if err != nil {
		return nil, err
	}
	w, err := q.transaction(o)
	if err != nil {
		return nil, err
	}
	head := l.newest(o.Commitment)
	switch {
	case l.NoV1 && w.tx.Version == solana.V1:
		return nil, errNoV1
	case o.SigVerify && o.ReplaceBlockhash:
		return nil, refuse(codeParams, "sigVerify may not be used with replaceRecentBlockhash")
	case o.SigVerify && (len(w.tx.Missing()) > 0 || w.tx.Verify() != nil):
		return nil, refuse(codeSignature, "Transaction signature verification failure")
	}
	var replaced any
	if o.ReplaceBlockhash {
		w.tx.Blockhash = head.hash
		replaced = object{
			"blockhash": solana.Address(head.hash).String(), "lastValidBlockHeight": head.height + hashLife,
		}
	}
	out, after := l.try(w.tx, head, true)
	form := simulated(w.tx.Message, out)
	form["replacementBlockhash"] = replaced
	if form["accounts"], err = l.shown(after, o); err != nil {
		return nil, err
	}
	return l.within(o, form)
}

// shown are the accounts that the caller wants to see as they would be.
func (l look) shown(after *ledger.Ledger, o options) (any, error) {
	if o.Accounts == nil || after == nil {
		return nil, nil
	}
	all := []any{}
	for _, text := range o.Accounts.Addresses {
		at, err := address(text)
		if err != nil {
			return nil, err
		}
		a, found := after.Account(at)
		if !found {
			all = append(all, nil)
			continue
		}
		form := object{
			"lamports": a.Lamports, "owner": a.Owner.String(), "executable": false, "rentEpoch": 0,
			"space": len(a.Data), "data": []string{base64.StdEncoding.EncodeToString(a.Data), "base64"},
		}
		if o.Accounts.Encoding == "jsonParsed" {
			form["data"] = l.parsed(a, o.Commitment)
		}
		all = append(all, form)
	}
	return all, nil
}
