package x402

import (
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/signed"
)

// Payment is what a buyer signs for an offer. Whoever holds it with its signature can move the money until
// ValidBefore, once: it is written down before it is signed.
type Payment struct {
	Choice      Choice
	From        evm.Address
	Nonce       [32]byte
	ValidBefore int64 // seconds since 1970
}

// Pay makes the payment of a choice. The nonce is 32 random bytes; for MPP it is not taken, because there the
// challenge determines it.
func (c Choice) Pay(from evm.Address, nonce [32]byte, now time.Time) Payment {
	if challenge := c.Offer.Challenge; challenge != nil {
		nonce = evm.Keccak256([]byte(challenge.Params["id"]), []byte(challenge.Params["realm"]))
	}
	return Payment{Choice: c, From: from, Nonce: nonce, ValidBefore: now.Unix() + c.Seconds}
}

// Domain is the EIP-712 domain of the token, from the registry.
func (c Choice) Domain() signed.Domain {
	return signed.Domain{
		Name: c.Token.DomainName, Version: c.Token.DomainVersion, ChainID: c.Network.ChainID, Contract: c.Contract,
	}
}

// Authorization is the payment by EIP-3009.
func (p Payment) Authorization() signed.Authorization {
	return signed.Authorization{
		From: p.From, To: p.Choice.PayTo, Value: p.Choice.Amount, ValidAfter: new(big.Int),
		ValidBefore: big.NewInt(p.ValidBefore), Nonce: p.Nonce,
	}
}

// Permit is the payment by Permit2.
func (p Payment) Permit() signed.Permit2Transfer {
	return signed.Permit2Transfer{
		From: p.From, Token: p.Choice.Contract, Amount: p.Choice.Amount, Nonce: new(big.Int).SetBytes(p.Nonce[:]),
		Deadline: big.NewInt(p.ValidBefore), To: p.Choice.PayTo, ValidAfter: new(big.Int),
		Facilitator: p.Choice.Facilitator,
	}
}

// Digest is what the buyer's wallet signs.
func (p Payment) Digest() [32]byte {
	if p.Choice.Method == Permit2 {
		return p.Permit().Digest(p.Choice.Network.ChainID)
	}
	return p.Authorization().Digest(p.Choice.Domain())
}

// Header is the header that pays, in the dialect of the offer. It is given out only if the signature is the buyer's:
// no other pays, and each try costs a nonce.
func (p Payment) Header(sig evm.Signature) (name, value string, err error) {
	if err := evm.Verify(p.From, p.Digest(), sig); err != nil {
		return "", "", err
	}
	inner := p.transfer(signed.WriteSignature(sig))
	out := payloadJSON{Version: p.Choice.Offer.Dialect.Version(), Payload: &inner}
	switch p.Choice.Offer.Dialect {
	case V2:
		name, out.Resource, out.Accepted = HeaderPayment, p.Choice.Resource, &p.Choice.Offer
		out.Extensions = p.Choice.Extensions
	case V1:
		name, out.Scheme, out.Network = HeaderPaymentV1, p.Choice.Offer.Scheme, p.Choice.Offer.Network
	case Old:
		network, ok := NameV1(p.Choice.Network.ChainID)
		if !ok {
			return "", "", fmt.Errorf("version 1 has no name for %s", p.Choice.Network.Slug)
		}
		name, out.Scheme, out.Network = HeaderPaymentV1, Exact, network
	case MPP:
		source := "did:pkh:" + NetworkID(p.Choice.Network.ChainID) + ":" + p.From.String()
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

// transfer is the part of the payload that a contract reads.
func (p Payment) transfer(signature []byte) transferJSON {
	out := transferJSON{Signature: chain.Hex(signature)}
	if p.Choice.Method == Permit2 {
		t := p.Permit()
		out.Permit = &permitJSON{
			From: t.From.String(), Permitted: permittedJSON{t.Token.String(), t.Amount.String()},
			Spender: t.Spender().String(), Nonce: t.Nonce.String(), Deadline: t.Deadline.String(),
			Witness: witnessJSON{To: t.To.String(), ValidAfter: t.ValidAfter.String()},
		}
		if t.Upto() {
			out.Permit.Witness.Facilitator = t.Facilitator.String()
		}
		return out
	}
	a := p.Authorization()
	out.Authorization = &authorizationJSON{
		From: a.From.String(), To: a.To.String(), Value: a.Value.String(), ValidAfter: a.ValidAfter.String(),
		ValidBefore: a.ValidBefore.String(), Nonce: chain.Hex(a.Nonce[:]),
	}
	return out
}
