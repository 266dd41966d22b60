package railkit

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/wire"
)

// The types of a replacement.
const (
	TypeSpeedUp TransactionType = "speed_up" // the same, for a higher fee
	TypeVoid    TransactionType = "void"     // nothing, so that the other never happens
)

// ReplaceRequest asks for a transaction in the place of one that is signed and
// not mined. The chain mines one of the two, and which one is not certain before.
type ReplaceRequest struct {
	Type         TransactionType // TypeSpeedUp, TypeVoid
	Replaces     *Transaction    // as ConfirmTransaction or GetTransaction gave it
	MaxFeePerGas string          // wei; what the network asks, and an eighth more than before, where empty
	FeeLimit     string          // wei: as in PrepareTransactionRequest
}

type replaceBody struct {
	Type         TransactionType `json:"type"`
	Replaces     string          `json:"replaces"`
	MaxFeePerGas string          `json:"maxFeePerGas,omitempty"`
}

// SpeedUp prepares, verifies, stamps and confirms the same transaction for a higher fee.
func (c *Client) SpeedUp(ctx context.Context, pk Passkey, replaced *Transaction) (*Transaction, error) {
	return c.replace(ctx, pk, ReplaceRequest{Type: TypeSpeedUp, Replaces: replaced})
}

// Void puts a transaction that does nothing in the place of one that should not
// happen after all.
func (c *Client) Void(ctx context.Context, pk Passkey, replaced *Transaction) (*Transaction, error) {
	return c.replace(ctx, pk, ReplaceRequest{Type: TypeVoid, Replaces: replaced})
}

func (c *Client) replace(ctx context.Context, pk Passkey, req ReplaceRequest) (*Transaction, error) {
	p, err := c.PrepareReplacement(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a replacement: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return c.ConfirmTransaction(withoutKey(ctx), ConfirmTransactionRequest{TransactionID: p.TransactionID, SignedActivity: signed})
}

// PrepareReplacement asks for the body of a replacement, and checks that it takes
// the place of that very transaction and does what was asked for.
func (c *Client) PrepareReplacement(ctx context.Context, req ReplaceRequest) (*PreparedTransaction, error) {
	if req.Replaces == nil {
		return nil, errors.New("railkit: Replaces is missing")
	}
	expect, err := c.replacement(req)
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, c, request{
		method: http.MethodPost, path: "/v1/transactions/prepare",
		body: replaceBody{req.Type, req.Replaces.TransactionID, req.MaxFeePerGas},
	})
	if err != nil {
		return nil, err
	}
	p := &r.Data
	if c.verify == nil {
		return p, nil
	}
	body, shown, err := c.preview(ctx, &p.Prepared, wire.SignIntent, r.Floor, r.Replayed)
	if err != nil {
		return nil, err
	}
	if err := expect.match(body, shown, p); err != nil {
		return nil, err
	}
	p.Shown = shown
	return p, nil
}

// replacement is what the answer is held against: what the enclave itself signed
// for the transaction that is replaced, not what the server says of it.
func (c *Client) replacement(req ReplaceRequest) (*expectation, error) {
	if c.verify == nil {
		return nil, nil
	}
	st, err := c.verify.open(req.Replaces.Proof, wire.KindResult)
	if err != nil {
		return nil, err
	}
	if st.Result == nil {
		return nil, tampered(ReasonResult, "the enclave's statement has no result")
	}
	if err := matchSigned(req.Replaces, st); err != nil {
		return nil, err
	}
	tx, from, err := replacedTx(st.Result.Transaction)
	if err != nil {
		return nil, tampered(ReasonResult, "the replaced transaction: %v", err)
	}
	asked := PrepareTransactionRequest{Type: Call, ChainID: tx.ChainID, MaxFeePerGas: req.MaxFeePerGas, FeeLimit: req.FeeLimit}
	switch req.Type {
	case TypeSpeedUp:
		asked.To, asked.Value, asked.Data = addressText(tx.To), amountText(tx.Value), evm.Hex(tx.Data)
	case TypeVoid:
		asked.To, asked.Value, asked.Data = from.String(), "0", "0x"
	default:
		return nil, errors.New("railkit: Type is neither TypeSpeedUp nor TypeVoid")
	}
	limit, err := feeLimit(asked)
	place := &wire.ReplacedParams{Fingerprint: st.Fingerprint, Nonce: decimal(tx.Nonce)}
	return &expectation{PrepareTransactionRequest: asked, from: from.String(), limit: limit, replaces: place}, err
}

func replacedTx(made *wire.Transaction) (tx evm.Tx, from evm.Address, err error) {
	raw, err := evm.ParseHex(made.SignedTransaction)
	if err != nil {
		return tx, from, err
	}
	if tx, _, err = evm.DecodeSigned(raw); err != nil {
		return tx, from, err
	}
	from, err = evm.ParseAddress(made.SignWith)
	return tx, from, err
}

func addressText(a *evm.Address) string {
	if a == nil {
		return ""
	}
	return a.String()
}

func amountText(n *big.Int) string {
	if n == nil {
		return "0"
	}
	return n.String()
}

// matchPlace holds body and preview to the transaction that is replaced, and to
// none where none is.
func (e *expectation) matchPlace(p *wire.ReplacedParams, shown *Preview) error {
	if e.replaces == nil {
		if p != nil || shown.Replaces != "" {
			return tampered(ReasonBody, "the body takes the place of another transaction, which was not asked for")
		}
		return nil
	}
	if p == nil || *p != *e.replaces {
		return tampered(ReasonBody, "the body does not take the place of the transaction that was to be replaced")
	}
	if shown.Replaces != e.replaces.Fingerprint || shown.Nonce != e.replaces.Nonce {
		return tampered(ReasonPreview, "the enclave shows another place than that of the transaction to be replaced")
	}
	return e.matchEffects(shown)
}

// matchEffects wants the effects that the body's bytes have, and no others.
func (e *expectation) matchEffects(shown *Preview) error {
	network, ok := chain.ByChainID(chain.Sandbox, e.ChainID)
	if !ok {
		network, _ = chain.ByChainID(chain.Production, e.ChainID)
	}
	from, err := evm.ParseAddress(e.from)
	if err != nil {
		return err
	}
	to, err := evm.ParseAddress(e.To)
	if err != nil {
		return err
	}
	value, _ := new(big.Int).SetString(e.Value, 10)
	data, err := evm.ParseHex(e.Data)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(shown.Effects, evm.Effects(from, &to, value, data, network), sameEffect) {
		return tampered(ReasonPreview, "the enclave shows other effects than were asked for")
	}
	return nil
}

func sameEffect(a, b chain.Effect) bool {
	return a.Kind == b.Kind && a.Amount == b.Amount && a.TokenID == b.TokenID && a.Selector == b.Selector && sameHex(a.Asset, b.Asset) && sameHex(a.From, b.From) &&
		sameHex(a.To, b.To) && sameHex(a.Spender, b.Spender) && sameHex(a.Contract, b.Contract)
}
