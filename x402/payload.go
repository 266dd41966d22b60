package x402

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/chain/solana"
)

// The ways in which a payment cannot be read.
var (
	ErrPayload = errors.New("payment cannot be read")
	// ErrTransaction is an ErrPayload: its transaction on Solana is none.
	ErrTransaction = fmt.Errorf("%w: transaction is not base64 of one of Solana", ErrPayload)
)

func badPayload(why string) error { return fmt.Errorf("%w: %s", ErrPayload, why) }

// Payload is a payment as a shop or a facilitator reads it. Whose it is, and whether it pays, was not checked.
type Payload struct {
	Dialect         Dialect // V1 or V2
	Scheme, Network string  // of version 2 those of the accepted offer
	Resource        *Resource
	Accepted        Offer // of version 2: the buyer's copy of the offer
	Extensions      jsontext.Value

	// One of the three: two on EVM, the last one on Solana.
	Authorization *signed.Authorization
	Permit        *signed.Permit2Transfer
	Transaction   *solana.Transaction

	Spender   evm.Address // with Permit: as the payload names it; signed is that of Permit.Spender
	Signature []byte      // on EVM

	Raw jsontext.Value // what it was read from; a shop hands this on to its facilitator
}

type payloadJSON struct {
	Version    int            `json:"x402Version"`
	Scheme     string         `json:"scheme,omitempty"`
	Network    string         `json:"network,omitempty"`
	Resource   *Resource      `json:"resource,omitempty"`
	Accepted   *Offer         `json:"accepted,omitempty"`
	Payload    *transferJSON  `json:"payload"`
	Extensions jsontext.Value `json:"extensions,omitempty"`
}

type transferJSON struct {
	Signature     string             `json:"signature,omitempty"`
	Transaction   string             `json:"transaction,omitempty"`
	Authorization *authorizationJSON `json:"authorization,omitempty"`
	Permit        *permitJSON        `json:"permit2Authorization,omitempty"`
}

type authorizationJSON struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

type permitJSON struct {
	Permitted permittedJSON `json:"permitted"`
	From      string        `json:"from"`
	Spender   string        `json:"spender"`
	Nonce     string        `json:"nonce"`
	Deadline  string        `json:"deadline"`
	Witness   witnessJSON   `json:"witness"`
}

type permittedJSON struct {
	Token  string `json:"token"`
	Amount string `json:"amount"`
}

type witnessJSON struct {
	To          string `json:"to"`
	Facilitator string `json:"facilitator,omitempty"`
	ValidAfter  string `json:"validAfter"`
}

// ReadPayment reads the payment of a request, of version 2 first. found is false where there is none. A header that
// is there twice is an error, and no payment.
func ReadPayment(header http.Header) (p Payload, found bool, err error) {
	for _, name := range []string{HeaderPayment, HeaderPaymentV1} {
		text, found, err := oneHeader(header.Values(name))
		if err != nil {
			return Payload{}, true, err
		}
		if !found {
			continue
		}
		raw, err := DecodeHeader(text)
		if err != nil {
			return Payload{}, true, err
		}
		p, err := ParsePayload(raw)
		if err == nil && (p.Dialect == V2) != (name == HeaderPayment) {
			err = badPayload("its version is that of the other header")
		}
		return p, true, err
	}
	return Payload{}, false, nil
}

// ParsePayload reads the JSON of a payment.
func ParsePayload(raw []byte) (Payload, error) {
	v, err := object(raw)
	if err != nil {
		return Payload{}, badPayload("it is not a JSON object")
	}
	var in struct {
		payloadJSON
		Accepted jsontext.Value `json:"accepted"` // in the place of payloadJSON's
	}
	if err := json.Unmarshal(v, &in); err != nil {
		return Payload{}, badPayload("a member has an unexpected type")
	}
	p := Payload{Scheme: in.Scheme, Network: in.Network, Resource: in.Resource, Extensions: in.Extensions, Raw: v}
	switch in.Version {
	case 1:
		p.Dialect = V1
	case 2:
		p.Dialect = V2
		if p.Accepted, err = ParseOffer(V2, in.Accepted); err != nil {
			return Payload{}, badPayload("accepted is no offer")
		}
		p.Scheme, p.Network = p.Accepted.Scheme, p.Accepted.Network
	default:
		return Payload{}, badPayload("x402Version is not 1 or 2")
	}
	if in.Payload == nil {
		return Payload{}, badPayload("payload is missing")
	}
	err = p.read(*in.Payload)
	return p, err
}

func (p *Payload) read(in transferJSON) (err error) {
	if in.Transaction != "" {
		return p.readTransaction(in)
	}
	if p.Signature, err = chain.ParseHex(in.Signature); err != nil || !strings.HasPrefix(in.Signature, "0x") {
		return badPayload("signature is not 0x and hex digits")
	}
	switch {
	case (in.Authorization == nil) == (in.Permit == nil):
		return badPayload("it needs one of authorization and permit2Authorization")
	case in.Permit != nil:
		return p.readPermit(*in.Permit)
	}
	f, a := fields{}, *in.Authorization
	p.Authorization = &signed.Authorization{
		From: f.address("from", a.From), To: f.address("to", a.To), Value: f.number("value", a.Value),
		ValidAfter: f.number("validAfter", a.ValidAfter), ValidBefore: f.number("validBefore", a.ValidBefore),
		Nonce: f.word("nonce", a.Nonce),
	}
	return f.err
}

func (p *Payload) readTransaction(in transferJSON) error {
	if in.Authorization != nil || in.Permit != nil || in.Signature != "" {
		return badPayload("beside transaction there is the payment of an EVM chain")
	}
	raw, err := base64.StdEncoding.Strict().DecodeString(in.Transaction)
	if err != nil || strings.ContainsAny(in.Transaction, "\r\n") {
		return ErrTransaction
	}
	tx, err := solana.DecodeTransaction(raw)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrTransaction, err)
	}
	p.Transaction = &tx
	return nil
}

func (p *Payload) readPermit(in permitJSON) error {
	f := fields{}
	p.Permit = &signed.Permit2Transfer{
		From: f.address("from", in.From), Token: f.address("permitted.token", in.Permitted.Token),
		Amount: f.number("permitted.amount", in.Permitted.Amount), Nonce: f.number("nonce", in.Nonce),
		Deadline: f.number("deadline", in.Deadline), To: f.address("witness.to", in.Witness.To),
		ValidAfter: f.number("witness.validAfter", in.Witness.ValidAfter),
	}
	if in.Witness.Facilitator != "" {
		p.Permit.Facilitator = f.address("witness.facilitator", in.Witness.Facilitator)
	}
	p.Spender = f.address("spender", in.Spender)
	return f.err
}

// fields reads the values of a payload, and keeps the first error.
type fields struct{ err error }

func (f *fields) note(name string, ok bool) {
	if !ok && f.err == nil {
		f.err = badPayload(name + " has not the form of its type")
	}
}

func (f *fields) address(name, text string) evm.Address {
	a, err := evm.ParseAddress(text)
	f.note(name, err == nil)
	return a
}

func (f *fields) number(name, text string) *big.Int {
	n, err := chain.ParseUnits(text, 0)
	f.note(name, err == nil)
	return n
}

func (f *fields) word(name, text string) (w [32]byte) {
	b, err := chain.ParseHex(text)
	f.note(name, err == nil && len(b) == 32 && strings.HasPrefix(text, "0x"))
	copy(w[:], b)
	return w
}

// Payer is who pays, as the payment says it; "" where a transaction has no transfer of a token.
func (p Payload) Payer() string {
	if p.Transaction != nil {
		return payerOf(*p.Transaction)
	}
	return p.From().String()
}

// payerOf is the owner in the first transfer of a token, as @x402/svm finds it: the fourth account of the first
// instruction of the Token program.
func payerOf(tx solana.Transaction) string {
	for _, c := range tx.Instructions {
		if int(c.Program) < len(tx.Keys) && tx.Keys[c.Program] == solana.TokenProgram && len(c.Accounts) >= 4 &&
			int(c.Accounts[3]) < len(tx.Keys) {
			return tx.Keys[c.Accounts[3]].String()
		}
	}
	return ""
}

// From is who pays on an EVM network.
func (p Payload) From() evm.Address {
	if p.Permit != nil {
		return p.Permit.From
	}
	return p.Authorization.From
}

// ID names the money that a payment moves: two payments with one ID cannot both be settled. It is the same for the
// same authorization in version 1 and version 2. On Solana it is the hash of what is signed.
func (p Payload) ID() string {
	network := p.Network
	if n, ok := ReadNetwork(p.Dialect, network); ok {
		network = NetworkID(n)
	}
	if p.Transaction != nil {
		message, _ := p.Transaction.Message.Encode() // what was decoded can be encoded
		return fmt.Sprintf("%s transaction %x", network, sha256.Sum256(message))
	}
	if p.Permit != nil {
		return fmt.Sprintf("%s permit2 %s %s", network, p.Permit.From, p.Permit.Nonce)
	}
	return fmt.Sprintf("%s eip3009 %s %x", network, p.Authorization.From, p.Authorization.Nonce)
}

// End is the last second at which the payment can move money on an EVM network, or so: a second earlier or later is the
// contract's. A transaction on Solana does not say its end in seconds.
func (p Payload) End() *big.Int {
	if p.Permit != nil {
		return p.Permit.Deadline
	}
	return p.Authorization.ValidBefore
}

// After is the second before which the payment cannot move money on an EVM network.
func (p Payload) After() *big.Int {
	if p.Permit != nil {
		return p.Permit.ValidAfter
	}
	return p.Authorization.ValidAfter
}

// Digest is what the payer signed on an EVM network, of a token in a domain.
func (p Payload) Digest(token signed.Domain) [32]byte {
	if p.Permit != nil {
		return p.Permit.Digest(token.ChainID)
	}
	return p.Authorization.Digest(token)
}

// Recover tells which account of EVM signed it. A contract's signature is none that an account could have made.
func (p Payload) Recover(token signed.Domain) (evm.Address, error) {
	sig, err := signed.ReadSignature(p.Signature)
	if err != nil {
		return evm.Address{}, err
	}
	return evm.RecoverAddress(p.Digest(token), sig)
}
