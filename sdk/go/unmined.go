package railkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/wire"
)

// A host can say "not sent yet" of a signed payment, keep it, and send it after
// its owner has paid a second time. So a second payment of the same sender,
// receiver, asset and amount is refused while the first is in no block, unless
// the caller says that it is another one.

// UnminedPaymentError refuses a payment that another transaction makes already,
// which is signed, or may be, and in no block yet. Wait for that one, confirm or cancel
// it where it was not signed, send it (Transactions.Broadcast), make it worthless
// (Transactions.Void), or set PayAgain.
type UnminedPaymentError struct {
	TransactionID string // of the first
	Status        string // as the server says
}

func (e *UnminedPaymentError) Error() string {
	return fmt.Sprintf("railkit: transaction %s (%s) pays the same and is in no block yet; wait for it, "+
		"cancel or void it, or set PayAgain if this is another payment",
		e.TransactionID, e.Status)
}

// payment is what makes two payments the same.
type payment struct {
	network, from, to, token, amount string
}

func (t *Transaction) payment() payment {
	return paymentOf(nameOf(t.ChainID, t.Network), t.From, t.To, t.TokenAddress, t.Amount)
}

func paymentOf(network, from, to, token, amount string) payment {
	if strings.Contains(amount, ".") {
		amount = strings.TrimRight(strings.TrimRight(amount, "0"), ".")
	}
	amount = strings.TrimLeft(amount, "0")
	return payment{
		network: network,
		from:    families.Lookup(from),
		to:      families.Lookup(to),
		token:   families.Lookup(token),
		amount:  amount,
	}
}

// maxPayments bounds what a client remembers. Beyond it the server's list is all.
const maxPayments = 10_000

// payBook is what this client has prepared and confirmed.
type payBook struct {
	mu       sync.Mutex
	prepared map[string]wish      // by transaction id
	paid     map[payment][]string // ids of transactions that were confirmed, or tried to be
}

// wish is a payment that was prepared.
type wish struct {
	payment
	body  string // fingerprint of what is stamped or, where another key signs, the unsigned bytes
	again bool   // beside others that are the same
}

func newPayBook() *payBook {
	return &payBook{prepared: map[string]wish{}, paid: map[payment][]string{}}
}

// others are the transactions that made the payment, but for one.
func (b *payBook) others(p payment, but string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.but(p, but)
}

func (b *payBook) but(p payment, id string) []string {
	return slices.DeleteFunc(slices.Clone(b.paid[p]), func(other string) bool { return other == id })
}

// prepare notes what a transaction pays. One id is that of one body for ever: else a server could give the id of a
// payment that is unmined to another one, and have the first forgotten, or to the same payment again, and have it paid
// twice: others leaves out the id that was prepared just now.
func (b *payBook) prepare(id string, w wish) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known, ok := b.prepared[id]; ok && (known.payment != w.payment || known.body != w.body) {
		return tampered(ReasonResult, "transaction %s was prepared with another body before", id)
	}
	if len(b.prepared) >= maxPayments {
		clear(b.prepared)
	}
	b.prepared[id] = w
	return nil
}

// pay notes a transaction before it is confirmed: the answer may be lost. It
// gives the ids of others that are noted for the payment, and notes nothing then.
func (b *payBook) pay(id string) (p payment, others []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, known := b.prepared[id]
	if others = b.but(w.payment, id); !known || len(others) > 0 && !w.again {
		return w.payment, others
	}
	if len(b.paid) >= maxPayments {
		clear(b.paid)
	}
	b.paid[w.payment] = append(others, id)
	return w.payment, nil
}

// forget drops a payment whose transaction is over.
func (b *payBook) forget(p payment, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paid[p] = b.but(p, id); len(b.paid[p]) == 0 {
		delete(b.paid, p)
	}
}

// refuseUnmined holds a payment against what this client has paid, and against
// what the server says is signed and not mined. The transaction that was prepared
// for it just now may be such a one: a retry under one Idempotency-Key gets the first.
func (s *TransactionsService) refuseUnmined(ctx context.Context, p payment, prepared string) error {
	for _, id := range s.payments.others(p, prepared) {
		if err := s.refuseWhileUnmined(ctx, p, id); err != nil {
			return err
		}
	}
	for _, status := range []string{"pending", "broadcast"} {
		for t, err := range s.All(ctx, TransactionListOptions{Status: status, ListOptions: ListOptions{Limit: 200}}) {
			if err != nil {
				return fmt.Errorf("railkit: looking for an unmined payment: %w", err)
			}
			if t.payment() != p || t.TransactionID == prepared {
				continue
			}
			if err := s.refuseWhileUnmined(ctx, p, t.TransactionID); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseWhileUnmined refuses unless the transaction was mined, or was never signed.
func (s *TransactionsService) refuseWhileUnmined(ctx context.Context, p payment, id string) error {
	t, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	over := t.Status == "cancelled" || t.Status == "expired" || t.Status == "confirmed"
	if !over && t.TxHash != "" {
		b, err := s.GetBroadcast(ctx, id)
		if err != nil {
			return err
		}
		over = b.BlockNumber != nil
	}
	if !over && t.Status == "failed" {
		over, err = s.denied(ctx, t)
	}
	if err != nil {
		return err
	}
	if !over {
		return &UnminedPaymentError{TransactionID: id, Status: t.Status}
	}
	s.payments.forget(p, id)
	return nil
}

// denied says that a transaction failed unsigned, or that the one which took its
// nonce is mined. Of every other failed one the bytes stay good.
func (s *TransactionsService) denied(ctx context.Context, t *Transaction) (bool, error) {
	if t.TxHash == "" || t.ReplacedBy == "" {
		return t.TxHash == "", nil
	}
	b, err := s.GetBroadcast(ctx, t.ReplacedBy)
	var failed *Error
	if errors.As(err, &failed) && failed.Status == http.StatusConflict {
		return false, nil // the other one is not signed
	}
	return err == nil && b.BlockNumber != nil, err
}

// notePaid notes a transaction before it is confirmed, and refuses it while
// another one for the same payment is unmined.
func (s *TransactionsService) notePaid(ctx context.Context, id string) error {
	p, others := s.payments.pay(id)
	for _, other := range others {
		if err := s.refuseWhileUnmined(ctx, p, other); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	if _, others = s.payments.pay(id); len(others) > 0 { // of another caller beside this one
		return &UnminedPaymentError{TransactionID: others[0], Status: "unknown"}
	}
	return nil
}

// notePrepared notes a payment that was prepared and found to be what was asked for, and refuses one that is the
// same as another that is unmined.
func (s *TransactionsService) notePrepared(ctx context.Context, e *expectation, p *PreparedTransaction) error {
	if e.Type != TransferNative && e.Type != TransferToken {
		return nil
	}
	token := ""
	if e.Type == TransferToken {
		token = e.TokenAddress
	}
	w := wish{
		payment: paymentOf(nameOf(p.ChainID, p.Network), e.from, e.To, token, e.Amount),
		body:    cmp.Or(p.Fingerprint, p.UnsignedTransaction), again: e.PayAgain,
	}
	if !e.PayAgain {
		if err := s.refuseUnmined(ctx, w.payment, p.TransactionID); err != nil {
			return err
		}
	}
	return s.payments.prepare(p.TransactionID, w)
}

// The types of a replacement.
const (
	TypeSpeedUp TransactionType = "speed_up" // the same, for a higher fee
	TypeVoid    TransactionType = "void"     // nothing, so that the other never happens
)

// ReplaceRequest asks for a transaction in the place of one that is signed and
// not mined. The chain mines one of the two, and which one is not certain before.
type ReplaceRequest struct {
	Type         TransactionType // TypeSpeedUp, TypeVoid
	Replaces     *Transaction    // as Transactions.Confirm or Transactions.Get gave it
	MaxFeePerGas string          // wei; what the network asks, and an eighth more than before, where empty
	FeeLimit     string          // wei: as in PrepareTransactionRequest
}

type replaceBody struct {
	Type         TransactionType `json:"type"`
	Replaces     string          `json:"replaces"`
	MaxFeePerGas string          `json:"maxFeePerGas,omitempty"`
}

// SpeedUp prepares, verifies, stamps and confirms the same transaction for a higher fee.
func (s *TransactionsService) SpeedUp(ctx context.Context, pk Passkey, replaced *Transaction) (*Transaction, error) {
	return s.replace(ctx, pk, ReplaceRequest{Type: TypeSpeedUp, Replaces: replaced})
}

// Void puts a transaction that does nothing in the place of one that should not
// happen after all.
func (s *TransactionsService) Void(ctx context.Context, pk Passkey, replaced *Transaction) (*Transaction, error) {
	return s.replace(ctx, pk, ReplaceRequest{Type: TypeVoid, Replaces: replaced})
}

func (s *TransactionsService) replace(ctx context.Context, pk Passkey, req ReplaceRequest) (*Transaction, error) {
	p, err := s.PrepareReplacement(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("preparing a replacement: %w", err)
	}
	signed, err := stamp(pk, p.Prepared)
	if err != nil {
		return nil, err
	}
	return s.Confirm(withoutKey(ctx), ConfirmTransactionRequest{TransactionID: p.TransactionID, SignedActivity: signed})
}

// PrepareReplacement asks for the body of a replacement, and checks that it takes
// the place of that very transaction and does what was asked for.
func (s *TransactionsService) PrepareReplacement(
	ctx context.Context, req ReplaceRequest,
) (*PreparedTransaction, error) {
	if req.Replaces == nil {
		return nil, errors.New("railkit: Replaces is missing")
	}
	expect, err := s.replacement(req)
	if err != nil {
		return nil, err
	}
	r, err := send[PreparedTransaction](ctx, s.c, request{
		method: http.MethodPost, path: "/v1/transactions/prepare",
		body: replaceBody{req.Type, req.Replaces.TransactionID, req.MaxFeePerGas},
	})
	if err != nil {
		return nil, err
	}
	return expect.verified(ctx, s.c, r)
}

// replacement is what the answer is held against: what the enclave itself signed
// for the transaction that is replaced, not what the server says of it.
func (s *TransactionsService) replacement(req ReplaceRequest) (*expectation, error) {
	if s.c.verify == nil {
		return nil, nil
	}
	st, err := s.c.verify.open(req.Replaces.Proof, wire.KindResult)
	if err != nil {
		return nil, err
	}
	if st.Result == nil {
		return nil, tampered(ReasonResult, "the enclave's statement has no result")
	}
	if err := matchSigned(req.Replaces, st); err != nil {
		return nil, err
	}
	by, err := s.c.sender(req.Replaces.ChainID, req.Replaces.Network, st.Result.Transaction.SignWith)
	if err != nil {
		return nil, tampered(ReasonResult, "the replaced transaction: %v", err)
	}
	tx, err := by.replaced(st.Result.Transaction)
	if err != nil {
		return nil, tampered(ReasonResult, "the replaced transaction: %v", err)
	}
	asked := PrepareTransactionRequest{
		Type: Call, ChainID: by.network.ChainID, MaxFeePerGas: req.MaxFeePerGas, FeeLimit: req.FeeLimit,
	}
	switch req.Type {
	case TypeSpeedUp:
		asked.To, asked.Value, asked.Data = tx.To, tx.Value.String(), chain.Hex(tx.Data)
	case TypeVoid:
		asked.To, asked.Value, asked.Data = by.from, "0", "0x"
	default:
		return nil, errors.New("railkit: Type is neither TypeSpeedUp nor TypeVoid")
	}
	e := &expectation{PrepareTransactionRequest: asked, sender: by, replaces: &wire.ReplacedParams{
		Fingerprint: st.Fingerprint, Nonce: decimal(tx.Nonce),
	}}
	return checked(e, e.bound())
}

// replaced reads the bytes that the enclave signed.
func (s sender) replaced(made *wire.Transaction) (chain.Tx, error) {
	raw, err := chain.ParseHex(made.SignedTransaction)
	if err != nil {
		return chain.Tx{}, err
	}
	tx, _, err := s.family.DecodeSigned(raw, s.from)
	if err == nil && tx.NetworkID != s.network.ID() {
		err = errOtherNetwork
	}
	return tx, err
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
	data, err := chain.ParseHex(e.Data)
	if err != nil {
		return err
	}
	value, _ := new(big.Int).SetString(e.Value, 10)
	own := e.family.Effects(e.network, e.from, chain.Call{To: e.To, Value: value, Data: data})
	if !slices.EqualFunc(shown.Effects, own, sameEffect) {
		return tampered(ReasonPreview, "the enclave shows other effects than were asked for")
	}
	return nil
}

func sameEffect(a, b chain.Effect) bool {
	return a.Kind == b.Kind && a.Amount == b.Amount && a.TokenID == b.TokenID && a.Selector == b.Selector &&
		sameAddress(a.Asset, b.Asset) && sameAddress(a.From, b.From) &&
		sameAddress(a.To, b.To) && sameAddress(a.Spender, b.Spender) && sameAddress(a.Contract, b.Contract)
}
