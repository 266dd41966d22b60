package x402

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
	"github.com/railkit/railkit/chain/solana"
)

// Payment is what a buyer signs for an offer. Whoever holds it with its signature can move the money until
// ValidBefore, once: it is written down before it is signed.
type Payment struct {
	Choice Choice
	From   string // canonical
	// Nonce tells the payment from others that are alike. Of the method Sponsored the first half is the memo, where the
	// seller wants none of its own.
	Nonce       [32]byte
	ValidBefore int64 // seconds since 1970; of the method Sponsored until Blockhash is too old, which the chain counts
	// Blockhash is, of the method Sponsored, the recent block that ends the payment's life.
	Blockhash [32]byte
}

// Pay makes the payment of a choice. The nonce is 32 random bytes; for MPP it is not taken, because there the
// challenge determines it. On Solana the payment has no Blockhash yet.
func (c Choice) Pay(from string, nonce [32]byte, now time.Time) Payment {
	if challenge := c.Offer.Challenge; challenge != nil {
		nonce = evm.Keccak256([]byte(challenge.Params["id"]), []byte(challenge.Params["realm"]))
	}
	return Payment{Choice: c, From: from, Nonce: nonce, ValidBefore: now.Unix() + c.Seconds}
}

// Domain is the EIP-712 domain of the token, from the registry.
func (c Choice) Domain() signed.Domain {
	contract, _ := evm.ParseAddress(c.Token.Address) // of a listed token, which has one
	return signed.Domain{
		Name: c.Token.DomainName, Version: c.Token.DomainVersion, ChainID: c.Network.ChainID, Contract: contract,
	}
}

// ToSign is what the buyer's wallet signs: on EVM a digest, on Solana a message.
func (p Payment) ToSign() ([]byte, error) {
	if p.Choice.Method == Sponsored {
		m, err := p.message()
		if err != nil {
			return nil, err
		}
		return m.Encode()
	}
	t, err := p.transfer()
	if err != nil {
		return nil, err
	}
	digest := t.Digest(p.Choice.Domain())
	return digest[:], nil
}

// message is the payment of the method Sponsored.
func (p Payment) message() (solana.Message, error) {
	c, a := p.Choice, solanaAddresses{}
	s := solana.Sponsored{
		Sponsor: a.read(c.FeePayer), Source: a.read(p.From), Destination: a.read(c.PayTo),
		Mint: a.read(c.Token.Address), Decimals: uint8(c.Token.Decimals), Amount: c.Amount.Uint64(),
		Memo: c.Memo, Blockhash: p.Blockhash,
	}
	if s.Memo == "" {
		s.Memo = solana.RandomMemo([16]byte(p.Nonce[:16]))
	}
	if a.err != nil {
		return solana.Message{}, a.err
	}
	return s.Message()
}

// solanaAddresses reads addresses, and keeps the last error.
type solanaAddresses struct{ err error }

func (a *solanaAddresses) read(text string) solana.Address {
	address, err := solana.ParseAddress(text)
	if err != nil {
		a.err = err
	}
	return address
}

// transfer is the payment on an EVM network, as a payload has it.
func (p Payment) transfer() (Payload, error) {
	f := fields{}
	from, to, token := f.address("from", p.From), f.address("payTo", p.Choice.PayTo), f.address("asset",
		p.Choice.Token.Address)
	if p.Choice.Method == Permit2 {
		t := signed.Permit2Transfer{
			From: from, Token: token, Amount: p.Choice.Amount, Nonce: new(big.Int).SetBytes(p.Nonce[:]),
			Deadline: big.NewInt(p.ValidBefore), To: to, ValidAfter: new(big.Int),
		}
		if p.Choice.Facilitator != "" {
			t.Facilitator = f.address("facilitator", p.Choice.Facilitator)
		}
		return Payload{Permit: &t}, f.err
	}
	return Payload{Authorization: &signed.Authorization{
		From: from, To: to, Value: p.Choice.Amount, ValidAfter: new(big.Int),
		ValidBefore: big.NewInt(p.ValidBefore), Nonce: p.Nonce,
	}}, f.err
}

// Header is the header that pays, in the dialect of the offer. The signature is as wallets write it: 65 bytes that end
// in 27 or 28 on EVM, 64 bytes on Solana. The header is given out only if the signature is the buyer's: no other pays,
// and each try costs a nonce.
func (p Payment) Header(signature []byte) (name, value string, err error) {
	inner, err := p.written(signature)
	if err != nil {
		return "", "", err
	}
	out := payloadJSON{Version: p.Choice.Offer.Dialect.Version(), Payload: &inner}
	switch p.Choice.Offer.Dialect {
	case V2:
		name, out.Resource, out.Accepted = HeaderPayment, p.Choice.Resource, &p.Choice.Offer
		out.Extensions = p.Choice.Extensions
	case V1:
		name, out.Scheme, out.Network = HeaderPaymentV1, p.Choice.Offer.Scheme, p.Choice.Offer.Network
	case Old:
		network, ok := NameV1(p.Choice.Network)
		if !ok {
			return "", "", fmt.Errorf("version 1 has no name for %s", p.Choice.Network.Slug)
		}
		name, out.Scheme, out.Network = HeaderPaymentV1, Exact, network
	case MPP:
		source := "did:pkh:" + NetworkID(p.Choice.Network) + ":" + p.From
		return p.Choice.Offer.Challenge.credential(source, struct {
			Type string `json:"type"`
			authorizationJSON
			Signature string `json:"signature"`
		}{"authorization", *inner.Authorization, inner.Signature})
	default:
		return "", "", errors.New("payment in no known dialect")
	}
	value, err = EncodeHeader(out)
	return name, value, err
}

// written is the part of the payload that a chain reads.
func (p Payment) written(signature []byte) (out transferJSON, err error) {
	if p.Choice.Method == Sponsored {
		return p.writtenTransaction(signature)
	}
	sig, err := signed.ReadSignature(signature)
	if err != nil {
		return out, err
	}
	t, err := p.transfer()
	if err != nil {
		return out, err
	}
	if err := evm.Verify(t.From(), t.Digest(p.Choice.Domain()), sig); err != nil {
		return out, err
	}
	out.Signature = chain.Hex(signed.WriteSignature(sig))
	if t.Permit != nil {
		out.Permit = permitOf(*t.Permit)
	} else {
		out.Authorization = authorizationOf(*t.Authorization)
	}
	return out, nil
}

// writtenTransaction is the transaction with the slot of who pays the fee left open.
func (p Payment) writtenTransaction(signature []byte) (out transferJSON, err error) {
	m, err := p.message()
	if err != nil {
		return out, err
	}
	from, err := solana.ParseAddress(p.From)
	if err != nil || len(signature) != len(solana.Signature{}) {
		return out, errors.Join(solana.ErrSignature, err)
	}
	tx, err := solana.Unsigned(m).Attach(from, solana.Signature(signature))
	if err != nil {
		return out, err
	}
	raw, err := tx.Encode()
	out.Transaction = base64.StdEncoding.EncodeToString(raw)
	return out, err
}

func permitOf(t signed.Permit2Transfer) *permitJSON {
	out := &permitJSON{
		From: t.From.String(), Permitted: permittedJSON{t.Token.String(), t.Amount.String()},
		Spender: t.Spender().String(), Nonce: t.Nonce.String(), Deadline: t.Deadline.String(),
		Witness: witnessJSON{To: t.To.String(), ValidAfter: t.ValidAfter.String()},
	}
	if t.Upto() {
		out.Witness.Facilitator = t.Facilitator.String()
	}
	return out
}

func authorizationOf(a signed.Authorization) *authorizationJSON {
	return &authorizationJSON{
		From: a.From.String(), To: a.To.String(), Value: a.Value.String(), ValidAfter: a.ValidAfter.String(),
		ValidBefore: a.ValidBefore.String(), Nonce: chain.Hex(a.Nonce[:]),
	}
}
