package solana

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"

	"github.com/railkit/railkit/chain"
)

// What the Data of a chain.Call to an owner say. No message begins with the letter.
const (
	paymentTag  = 't'
	maxDecimals = 18 // what a listed token can have
)

// payment is what an owner is paid in a token:
//
//	't' | mint, 32 bytes | amount, u64, the least byte first | decimals, 1 byte
//
// Exact bytes have a whole message as their Data, and no owner but the one whom a sponsored payment names beside them.
type payment struct {
	mint     Address
	amount   uint64
	decimals uint8
}

func (p payment) data() []byte {
	b := append([]byte{paymentTag}, p.mint[:]...)
	return append(binary.LittleEndian.AppendUint64(b, p.amount), p.decimals)
}

func readPayment(data []byte) (p payment, ok bool) {
	r := reader{rest: data}
	tag := r.byte("tag")
	p = payment{r.address("mint"), r.u64("amount"), r.byte("decimals")}
	return p, r.end("data") == nil && tag == paymentTag
}

// Paid is what a call to an owner pays: a mint, or zero for SOL, and the amount in the smallest unit.
func Paid(c chain.Call) (mint Address, amount uint64, err error) {
	if len(c.Data) == 0 {
		if value := orZero(c.Value); value.IsUint64() {
			return mint, value.Uint64(), nil
		}
		return mint, 0, refuse("value", "has not 64 bits")
	}
	p, ok := readPayment(c.Data)
	if !ok {
		return mint, 0, refuse("data", "is no payment of a token")
	}
	return p.mint, p.amount, nil
}

// TransactionType is the family's.
func (Family) TransactionType() string { return "TRANSACTION_TYPE_SOLANA" }

// Encodings are those of today. A lookup table is read, and never understood.
func (Family) Encodings() string { return "Solana legacy, v0 or v1" }

// MaxGas is the most units of compute that a transaction can have.
func (Family) MaxGas() uint64 { return MaxUnits }

// accountRent is what a token account of 165 bytes costs on a network that has never lowered its rent. It is what an
// account counts as where nothing that was stamped says more: the bytes of a transaction do not tell.
const accountRent = 2_039_280

// Effects tells what a payment does, or the message of exact bytes. Where such a message comes with an owner, his token
// account is recognized: the bytes alone do not tell whose it is.
func (Family) Effects(n chain.Network, from string, c chain.Call) []chain.Effect {
	unknown := []chain.Effect{{Kind: chain.UnknownCall, From: from, Contract: c.To}}
	signer, err := ParseAddress(from)
	if err != nil {
		return unknown
	}
	q := Reader{Network: n, Signer: signer, Rent: accountRent}
	if c.To != "" {
		to, err := ParseAddress(c.To)
		if err != nil {
			return unknown
		}
		q.Payees = []Address{to}
	}
	if m, err := DecodeMessage(c.Data); err == nil {
		return q.Effects(m)
	}
	if value := orZero(c.Value); len(q.Payees) == 0 || !value.IsUint64() {
		return unknown
	}
	r := &reading{Reader: q}
	r.pays(q.Payees[0], c)
	return r.effects
}

// pays tells the parts of a payment: the coin, the account of the payee, the token.
func (r *reading) pays(to Address, c chain.Call) {
	if lamports := orZero(c.Value).Uint64(); lamports > 0 || len(c.Data) == 0 {
		r.coin(r.Signer, to, lamports)
	}
	if len(c.Data) == 0 {
		return
	}
	p, ok := readPayment(c.Data)
	if !ok || !r.fits(p.mint, p.decimals) {
		r.unknown(TokenProgram)
		return
	}
	if c.Rent > 0 {
		r.opens(r.Signer, to, c.Rent)
	}
	r.token(chain.Effect{Kind: chain.Transfer, From: r.Signer.String(), To: to.String()}, p.mint, p.amount)
}

func orZero(n *big.Int) *big.Int {
	if n == nil {
		return new(big.Int)
	}
	return n
}

// CheckIntent refuses payees and amounts.
func (Family) CheckIntent(n chain.Network, i chain.Intent) error {
	pays, err := intentOf(n, i)
	if err != nil {
		return err
	}
	return pays.check()
}

// Assemble makes the one message of an intent. What is above its highest fee the caller refuses.
func (Family) Assemble(n chain.Network, i chain.Intent, t chain.Terms) (chain.Tx, error) {
	pays, err := intentOf(n, i)
	if err != nil {
		return chain.Tx{}, err
	}
	terms, err := termsOf(t)
	if err != nil {
		return chain.Tx{}, err
	}
	if uint64(terms.Units) > i.Gas {
		return chain.Tx{}, refuse("units", "%d, more than %d", terms.Units, i.Gas)
	}
	m, err := pays.Message(terms)
	if err != nil {
		return chain.Tx{}, err
	}
	return Unsigned(m).neutral()
}

// intentOf reads an intent. Its payee is an owner whom somebody can have the key of, and no mint of the network.
func intentOf(n chain.Network, i chain.Intent) (p Intent, err error) {
	p.MaxFee, p.MaxRent = math.MaxUint64, i.Rent
	if p.Source, err = ParseAddress(i.From); err != nil {
		return p, err
	}
	if p.Destination, err = ParseAddress(i.To); err != nil {
		return p, err
	}
	if err := CheckPayee(n, p.Destination); err != nil {
		return p, errors.New("the payee " + err.Error())
	}
	value := orZero(i.Value)
	if !value.IsUint64() {
		return p, refuse("value", "has not 64 bits")
	}
	if p.Amount = value.Uint64(); len(i.Data) == 0 {
		return p, nil
	}
	token, ok := readPayment(i.Data)
	if !ok || p.Amount != 0 || token.mint == (Address{}) {
		return p, refuse("data", "is no payment of a token, or SOL goes along with it")
	}
	p.Mint, p.Amount, p.Decimals = token.mint, token.amount, token.decimals
	return p, nil
}

func termsOf(t chain.Terms) (Terms, error) {
	r := t.Recent
	if r == nil || r.Units > math.MaxUint32 || r.LoadedBytes > math.MaxUint32 {
		return Terms{}, refuse("terms", "are not those of Solana")
	}
	made := Terms{Units: uint32(r.Units), LoadedBytes: uint32(r.LoadedBytes), Priority: r.Priority, Rent: r.Rent}
	switch r.Version {
	case V0.Name():
		made.Version = V0
	case V1.Name():
		made.Version = V1
	default:
		return Terms{}, refuse("version", "is not v0 or v1")
	}
	blockhash, err := ParseAddress(r.Blockhash)
	if err != nil {
		return Terms{}, refuse("blockhash", "is not 32 bytes in base58")
	}
	made.Blockhash = blockhash
	return made, nil
}

// MaxDataBytes is that of the longest transaction; no network of Solana charges for them.
func (Family) MaxDataBytes(chain.Network, chain.Intent, *big.Int) int { return maxSizeV1 }

// DecodeUnsigned reads a transaction with a slot of zeros for whoever has not signed. Signatures of others are kept.
func (Family) DecodeUnsigned(raw []byte) (chain.Tx, error) {
	tx, err := DecodeTransaction(raw)
	if err != nil {
		return chain.Tx{}, err
	}
	if len(tx.Missing()) == 0 {
		return chain.Tx{}, ErrSigned
	}
	if err := tx.Verify(); err != nil {
		return chain.Tx{}, err
	}
	return tx.neutral()
}

// DecodeSigned reads a transaction with one signature, or with all of them, and holds them against their keys.
func (Family) DecodeSigned(raw []byte, from string) (chain.Tx, []byte, error) {
	tx, err := DecodeTransaction(raw)
	if err != nil {
		return chain.Tx{}, nil, err
	}
	by := tx.Keys[0]
	if from != "" {
		if by, err = ParseAddress(from); err != nil {
			return chain.Tx{}, nil, err
		}
	} else if len(tx.Missing()) > 0 {
		return chain.Tx{}, nil, ErrSignature
	}
	signature, err := tx.detach(by)
	if err != nil {
		return chain.Tx{}, nil, err
	}
	t, err := tx.neutral()
	return t, signature[:], err
}

// detach takes the signature of a key out of its slot.
func (tx *Transaction) detach(by Address) (Signature, error) {
	if err := tx.Verify(); err != nil {
		return Signature{}, err
	}
	for i, a := range tx.Signers() {
		if signature := tx.Signatures[i]; a == by && signature != (Signature{}) {
			tx.Signatures[i] = Signature{}
			return signature, nil
		}
	}
	return Signature{}, ErrNoSigner
}

// Attach fills the slot of a signer.
func (Family) Attach(t chain.Tx, from string, signature []byte) ([]byte, error) {
	tx, err := DecodeTransaction(t.Unsigned)
	if err != nil {
		return nil, err
	}
	by, err := ParseAddress(from)
	if err != nil || len(signature) != signatureSize {
		return nil, errors.Join(ErrSignature, err)
	}
	if tx, err = tx.Attach(by, Signature(signature)); err != nil {
		return nil, err
	}
	return tx.Encode()
}

// neutral is the transaction as other packages see it.
func (tx Transaction) neutral() (chain.Tx, error) {
	unsigned, err := tx.Encode()
	if err != nil {
		return chain.Tx{}, err
	}
	fee, err := tx.MaxFee()
	if err != nil {
		return chain.Tx{}, err
	}
	message := tx.encode()
	t := chain.Tx{
		Call: chain.Call{Value: new(big.Int), Data: message}, MaxFee: fee,
		Unsigned: unsigned, Payload: message, DataBytes: len(unsigned), FeeOnly: tx.FeeOnly(),
	}
	t.Fee = chain.Fee{Max: new(big.Int), Priority: new(big.Int)}
	t.Recent = &chain.Recent{Blockhash: Address(tx.Blockhash).String(), Version: tx.Version.Name()}
	for _, a := range tx.Signers() {
		t.Signers = append(t.Signers, a.String())
	}
	if tx.IsDurable() {
		t.Durable = tx.nonceAccount()
	}
	if i, terms, ok := tx.plain(); ok {
		t.Plain = true
		i.into(&t, terms)
	}
	return t, nil
}

// nonceAccount is the one that the first instruction advances.
func (m Message) nonceAccount() string {
	if a := m.Instructions[0].Accounts; len(a) > 0 && int(a[0]) < len(m.Keys) {
		return m.Keys[a[0]].String()
	}
	return "of a lookup table"
}

// into writes what an intent and its terms are into the fields that all families have.
func (i Intent) into(t *chain.Tx, terms Terms) {
	t.To, t.Data, t.Rent, t.Gas = i.Destination.String(), nil, terms.Rent, uint64(terms.Units)
	if i.Mint == (Address{}) {
		t.Value = new(big.Int).SetUint64(i.Amount)
	} else {
		t.Data = payment{i.Mint, i.Amount, i.Decimals}.data()
	}
	r := t.Recent
	r.Units, r.LoadedBytes, r.Priority, r.Rent = t.Gas, uint64(terms.LoadedBytes), terms.Priority, terms.Rent
}

// plain reads the message that an intent makes, and no other: what it read has to make these very bytes again.
func (m Message) plain() (i Intent, t Terms, ok bool) {
	all, err := m.Resolve()
	b, also := m.Budget()
	if err != nil || also != nil || b.Units == nil || b.LoadedBytes == nil || len(m.Signers()) != 1 {
		return i, t, false
	}
	t = Terms{Version: m.Version, Blockhash: m.Blockhash, Units: *b.Units, LoadedBytes: *b.LoadedBytes}
	i = Intent{Source: m.Keys[0], MaxFee: math.MaxUint64}
	if t.Priority, ok = m.priority(); !ok {
		return i, t, false
	}
	if m.Version == V0 {
		all = all[min(len(all), budgetOfIntent):]
	}
	if len(all) > 1 && all[0].Program == AssociatedProgram {
		t.Rent, i.MaxRent, all = accountRent, accountRent, all[1:]
	}
	if len(all) != 1 || !i.read(all[0]) {
		return i, t, false
	}
	again, err := i.Message(t)
	return i, t, err == nil && bytes.Equal(again.encode(), m.encode())
}

// budgetOfIntent is how many instructions of the Compute Budget program begin a v0 message of an intent.
const budgetOfIntent = 3

// priority is what is paid beside the signature.
func (m Message) priority() (uint64, bool) {
	fee, err := m.MaxFee()
	if err != nil {
		return 0, false
	}
	fee.Sub(fee, big.NewInt(FeePerSignature))
	return fee.Uint64(), fee.IsUint64()
}

// read takes payee, asset and amount from the instruction that pays.
func (i *Intent) read(pay Instruction) bool {
	r := reader{rest: pay.Data}
	switch {
	case pay.Program == SystemProgram && len(pay.Accounts) == 2:
		r.u32("number")
		i.Amount, i.Destination = r.u64("lamports"), pay.Accounts[1].Address
	case pay.Program == TokenProgram && len(pay.Accounts) == 5:
		r.byte("number")
		i.Amount, i.Decimals = r.u64("amount"), r.byte("decimals")
		i.Mint, i.Destination = pay.Accounts[1].Address, pay.Accounts[4].Address
	default:
		return false
	}
	return r.end("data") == nil
}
