package takeover

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/enclave/wire"
)

// solBook is what the owners of Solana accounts keep. A transaction there has no nonce, so that they hold each body to
// its one transaction, and each transaction to its one body.
type solBook struct {
	purses map[key]purse
	made   map[string]string // fingerprint -> id
	under  map[string]string // id -> fingerprint
	fees   map[purse]uint64  // of settlements, in millionths of a USD
}

func newSolBook() solBook {
	return solBook{map[key]purse{}, map[string]string{}, map[string]string{}, map[purse]uint64{}}
}

func (l *ledger) solPurse(address key, p purse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.solana.purses[address] = p
}

func (b solBook) has(address string) bool {
	_, honest := b.purses[keyOf(address)]
	return honest
}

// violated is what the owners of accounts find wrong beside signatures.
func (l *ledger) violated(why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.violations = append(l.violations, why)
}

func (l *ledger) sawSolana(fp string, t wire.Transaction) error {
	x, err := readSolana(common.FromHex(t.SignedTransaction))
	if err != nil {
		return err
	}
	id := cmp.Or(t.TxHash, fmt.Sprintf("%x", x.message)) // without the signature of who pays the fee it has no name
	b := l.solana
	before, also := b.made[fp], b.under[id]
	b.made[fp], b.under[id] = id, fp
	switch {
	case before != "" && before != id:
		return fmt.Errorf("one body has the transactions %s and %s", before, id)
	case also != "" && also != fp:
		return fmt.Errorf("two bodies are told of the transaction %s", id)
	case before != "": // the same again
		return nil
	}
	for _, by := range x.signedBy() {
		if p, honest := b.purses[by]; honest {
			return l.solWarrant(p, by, x, id, fp)
		}
	}
	return errors.New("it is signed by nobody")
}

// solWarrant finds the body that allows a transaction, the delegation, or what an agent signed for: of what it buys,
// under the very offer that came out of.
func (l *ledger) solWarrant(p purse, by key, x solSigned, id, under string) error {
	s := l.societies[p.org]
	err := l.solOrdered(s, p, by, x, l.offers[under])
	if err == nil || s.delegatedSol(p, by, x) || l.settledSol(p, by, x) {
		return nil
	}
	for fp, raw := range l.bodies {
		body, ok := strict(raw)
		another := l.solana.made[fp] != "" && l.solana.made[fp] != id
		if !ok || another || body.OrganizationID != p.org || !x.is(by, body) {
			continue
		}
		over := s.config.Enabled && x.costs(s.config.ThresholdUSD)
		if err = errors.Join(l.consented(s, fp, body, time.Now(), over), s.solRules(p, by, x)); err == nil {
			return nil
		}
	}
	return err
}

// is reports whether a body is about this very transaction.
func (x solSigned) is(by key, b wire.Body) bool {
	if b.Type == wire.SignTransaction {
		p, ok := decode[wire.SignTransactionParams](b.Parameters)
		return ok && keyOf(p.SignWith) == by && bytes.Equal(common.FromHex(p.UnsignedTransaction), x.unsigned(by))
	}
	p, ok := decode[wire.SignIntentParams](b.Parameters)
	return ok && b.Type == wire.SignIntent && p.Chain == "solana" && p.ChainID == "devnet" && p.Replaces == nil &&
		keyOf(p.SignWith) == by && x.isIntent(by, p)
}

// isIntent holds it against a payment that was stamped. Nobody means to pay a mint.
func (x solSigned) isIntent(by key, p wire.SignIntentParams) bool {
	limit, ok := new(big.Int).SetString(p.MaxTotalFee, 10)
	gas, err := strconv.ParseUint(p.GasLimit, 10, 64)
	if !ok || err != nil || x.fee().Cmp(limit) > 0 || x.units > gas || x.signers != 1 || !x.understood ||
		len(x.moves) != 1 || len(x.opened) > 1 {
		return false
	}
	to, m := keyOf(p.To), x.moves[0]
	if to == key(solUSDC) {
		return false
	}
	for _, o := range x.opened {
		if p.MaxRent == "" || o.by != to || o.to != m.to || o.mint != m.mint || o.from != by {
			return false
		}
	}
	data := common.FromHex(p.Data)
	if len(data) == 0 {
		return m.mint == key{} && m.from == by && m.to == to && p.Value == strconv.FormatUint(m.amount, 10)
	}
	return len(data) == 42 && data[0] == 't' && p.Value == "0" && m.mint == key(data[1:33]) && m.by == by &&
		ofOwner(m.from, by, m.mint) && m.pays(to) && m.amount == binary.LittleEndian.Uint64(data[33:41]) &&
		m.decimals == data[41]
}

// solTokenRent is what a token account costs at most, in lamports.
const solTokenRent = 2_039_280

// micro is what it may cost, in millionths of a USD.
func (x solSigned) micro() uint64 {
	lamports, tokens := x.fee(), new(big.Int)
	lamports.Add(lamports, big.NewInt(int64(solTokenRent*len(x.opened))))
	for _, m := range x.moves {
		of := lamports
		if m.mint == key(solUSDC) {
			of = tokens
		}
		of.Add(of, new(big.Int).SetUint64(m.amount))
	}
	return sum(lamports, market["SOL"], 9).Uint64() + sum(tokens, market["USDC"], 6).Uint64()
}

func (x solSigned) costs(usd string) bool { return !x.understood || x.micro() > dollars(usd) }

// goesTo reports whether all that it moves is the key's own, and goes to these owners.
func (x solSigned) goesTo(by key, owners []string) bool {
	if !x.understood || x.signers != 1 {
		return false
	}
	listed := func(get func(key) bool) bool {
		return slices.ContainsFunc(owners, func(to string) bool { return get(keyOf(to)) })
	}
	for _, m := range x.moves {
		if m.by != by || !listed(m.pays) {
			return false
		}
	}
	for _, o := range x.opened {
		if !listed(func(k key) bool { return k == o.by }) {
			return false
		}
	}
	return true
}

// solRules holds a transaction against all policies of the wallet.
func (s *society) solRules(p purse, by key, x solSigned) error {
	for _, policy := range s.policies {
		r := policy.Rules
		switch {
		case policy.WalletID != p.wallet:
		case !x.understood || x.signers != 1:
			return errNot("understood")
		case len(r.AllowedDestinations) > 0 && !x.goesTo(by, r.AllowedDestinations):
			return errNot("to an allowed destination")
		case r.MaxValueUSD != "" && x.micro() > dollars(r.MaxValueUSD):
			return errNot("within the most that one may cost")
		}
	}
	return nil
}

// settledSol reports whether a delegation for settlements covers it: all that leaves is the fee, and nobody who signs
// beside is of the same owners. What the day's fees are is counted from the first one on.
func (l *ledger) settledSol(p purse, by key, x solSigned) bool {
	beside := slices.ContainsFunc(x.keys[:x.signers], func(k key) bool {
		other, honest := l.solana.purses[k]
		return k != by && honest && other.org == p.org
	})
	micro := sum(x.fee(), market["SOL"], 9).Uint64()
	for _, policy := range l.societies[p.org].policies {
		d := policy.Rules.Delegation
		if policy.WalletID == p.wallet && d != nil && d.AnyRequest && d.SettlementsOnly && x.feeOnly(by) && !beside &&
			micro <= dollars(d.MaxValueUSD) && l.solana.fees[p]+micro <= dollars(d.DailyUSD) {
			l.solana.fees[p] += micro
			return true
		}
	}
	return false
}

// delegatedSol reports whether a delegation to anybody covers it.
func (s *society) delegatedSol(p purse, by key, x solSigned) bool {
	for _, policy := range s.policies {
		d := policy.Rules.Delegation
		if policy.WalletID == p.wallet && d != nil && d.AnyRequest && x.goesTo(by, d.AllowedDestinations) &&
			x.micro() <= dollars(d.MaxValueUSD) {
			return true
		}
	}
	return false
}

// solOrdered finds what an agent signed for, holds it against its limits, and enters it.
func (l *ledger) solOrdered(s *society, p purse, by key, x solSigned, offer wire.AgentX402Params) error {
	err, now := errors.New("nobody agreed to it"), l.now()
	for _, o := range l.orders {
		a := l.servants[o.agent]
		if a == nil || a.purse != p || !x.isOrder(by, o.words) && !l.isPurchase(p, by, x, o.buys, a.limits, offer) {
			continue
		}
		if err = errors.Join(a.may(s, o, false, now), a.withinSol(x, now), s.solRules(p, by, x)); err == nil {
			o.done = true
			a.paid[signing{at: now}.month()] += x.moves[0].amount
			return nil
		}
	}
	return err
}

// isOrder reports whether it pays exactly what an agent's words say.
func (x solSigned) isOrder(by key, w wire.PaymentRequest) bool {
	return x.understood && x.signers == 1 && len(x.moves) == 1 && x.moves[0].mint == key(solUSDC) &&
		(w.ActionType == "payment" || w.ActionType == "transfer") &&
		(w.TokenMint == "USDC" || keyOf(w.TokenMint) == key(solUSDC)) &&
		(w.Cluster == "solana" || w.Cluster == "devnet") &&
		w.Amount == strconv.FormatUint(x.moves[0].amount, 10) && x.goesTo(by, []string{w.Destination})
}

// withinSol holds a payment against an agent's limits. What it costs beside is the host's choice.
func (a *servant) withinSol(x solSigned, now time.Time) error {
	l, amount := a.limits, x.moves[0].amount
	switch {
	case l == nil || !slices.Contains(l.AllowedChains, "solana"):
		return errNot("on a network of the agent's")
	case len(l.AllowedRecipients) > 0 && !slices.ContainsFunc(l.AllowedRecipients, func(to string) bool {
		return x.moves[0].pays(keyOf(to))
	}):
		return errNot("to one whom the agent may pay")
	case amount > dollars(l.PerTxUSDC) || amount > dollars(l.ApprovalThresholdUSDC):
		return errNot("within what the agent may pay at once")
	case a.paid[signing{at: now}.month()]+amount > dollars(l.PaymentsMonthlyUSDC):
		return errNot("within the agent's month")
	case x.micro()-amount > dollars(l.MaxFeeUSD):
		return errNot("within the agent's fee")
	}
	return nil
}

// solText is a signature of a key of Solana over a message: it has to be over a text in its envelope, which its owner
// stamped.
func (l *ledger) solText(s wire.Signature) error {
	by, payload := keyOf(s.SignWith), common.FromHex(s.Digest)
	p := l.solana.purses[by]
	text, enveloped := bytes.CutPrefix(payload, append([]byte("\xffsolana offchain\x01\x01"), by[:]...))
	if !enveloped {
		return errors.New("it signs what is no text")
	}
	for fp, raw := range l.bodies {
		body, ok := strict(raw)
		m, also := decode[wire.SignMessageParams](body.Parameters)
		if ok && also && body.Type == wire.SignMessage && body.OrganizationID == p.org && keyOf(m.SignWith) == by &&
			m.Payload == string(text) {
			return l.said(p, fp, body, m)
		}
	}
	return errors.New("nobody agreed to the text")
}
