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

// text names a payment in a PaymentStore.
func (p payment) text() string {
	return strings.Join([]string{p.network, p.from, p.to, cmp.Or(p.token, nativeAsset), p.amount}, " ")
}

// PaymentStore remembers for which payment which transactions were stamped. A client has one in memory; with one that
// all processes of a caller share, none of them pays what another one has paid just now. The text of a payment names
// its network, sender, receiver, asset and amount.
type PaymentStore interface {
	// Pay notes a transaction that is about to be handed in, and gives those that are noted for the payment beside it.
	// If there are some it notes nothing, unless it is again. Of two calls at once for one payment, one sees the other.
	Pay(ctx context.Context, payment, transactionID string, again bool) (others []string, err error)
	// Others are those that are noted for the payment, but for one.
	Others(ctx context.Context, payment, transactionID string) ([]string, error)
	// Forget drops a transaction that is over: confirmed, expired, or never signed.
	Forget(ctx context.Context, payment, transactionID string) error
}

// maxPayments bounds what a client remembers. Beyond it the server's list is all.
const maxPayments = 10_000

// paidBook is the PaymentStore in memory.
type paidBook struct {
	mu   sync.Mutex
	paid map[string][]string
}

func (b *paidBook) Pay(_ context.Context, payment, id string, again bool) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	others := b.but(payment, id)
	if len(others) > 0 && !again {
		return others, nil
	}
	if len(b.paid) >= maxPayments {
		clear(b.paid)
	}
	b.paid[payment] = append(others, id)
	return others, nil
}

func (b *paidBook) Others(_ context.Context, payment, but string) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.but(payment, but), nil
}

func (b *paidBook) but(payment, id string) []string {
	return slices.DeleteFunc(slices.Clone(b.paid[payment]), func(other string) bool { return other == id })
}

func (b *paidBook) Forget(_ context.Context, payment, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.paid[payment] = b.but(payment, id); len(b.paid[payment]) == 0 {
		delete(b.paid, payment)
	}
	return nil
}

// payBook is what this client has prepared, and what was confirmed, or tried to be.
type payBook struct {
	mu       sync.Mutex
	prepared map[string]wish // by transaction id
	paid     PaymentStore
}

// wish is a payment that was prepared.
type wish struct {
	payment
	body  string // fingerprint of what is stamped or, where another key signs, the unsigned bytes
	again bool   // beside others that are the same
}

func newPayBook(paid PaymentStore) *payBook {
	if paid == nil {
		paid = &paidBook{paid: map[string][]string{}}
	}
	return &payBook{prepared: map[string]wish{}, paid: paid}
}

// prepare notes what a transaction pays. One id is that of one body for ever: else a server could give the id of a
// payment that is unmined to another one, and have the first forgotten, or to the same payment again, and have it paid
// twice: PaymentStore.Others leaves out the id that was prepared just now.
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

// pay notes a transaction before it is confirmed: the answer may be lost. It gives the ids of others that are noted for
// the payment and in its way, and notes nothing then. What another client prepared nobody here can tell from others.
func (b *payBook) pay(ctx context.Context, id string) (payment, []string, error) {
	b.mu.Lock()
	w, known := b.prepared[id]
	b.mu.Unlock()
	if !known {
		return payment{}, nil, nil
	}
	others, err := b.paid.Pay(ctx, w.text(), id, w.again)
	if err != nil {
		return w.payment, nil, fmt.Errorf("railkit: noting a payment: %w", err)
	}
	if w.again {
		others = nil
	}
	return w.payment, others, nil
}

// refuseUnmined holds a payment against what this client has paid, and against
// what the server says is signed and not mined. The transaction that was prepared
// for it just now may be such a one: a retry under one Idempotency-Key gets the first.
func (s *TransactionsService) refuseUnmined(ctx context.Context, p payment, prepared string) error {
	others, err := s.payments.paid.Others(ctx, p.text(), prepared)
	if err != nil {
		return fmt.Errorf("railkit: looking for an unmined payment: %w", err)
	}
	for _, id := range others {
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

// refuseWhileUnmined refuses unless the transaction was mined, or can be no more. Where transactions have no nonces,
// one that a block has and that is not yet confirmed may be dropped with its block, and land in another.
func (s *TransactionsService) refuseWhileUnmined(ctx context.Context, p payment, id string) error {
	t, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	over := t.Status == StatusExpired || t.Status == StatusConfirmed || t.Status == StatusCancelled && t.TxHash == ""
	if !over && t.TxHash != "" {
		b, err := s.GetBroadcast(ctx, id)
		if err != nil {
			return err
		}
		_, f, ok := families.ParseAddress(t.From)
		final := b.Status == StatusConfirmed || b.Status == StatusFailed
		over = b.BlockNumber != nil && (final || !ok || f.Form().Nonces) ||
			ok && !f.Form().Nonces && b.Status == StatusFailed && b.Reason == ReasonBlockhashExpired
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
	if err := s.payments.paid.Forget(ctx, p.text(), id); err != nil {
		return fmt.Errorf("railkit: forgetting a payment: %w", err)
	}
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
	p, others, err := s.payments.pay(ctx, id)
	if err != nil {
		return err
	}
	for _, other := range others {
		if err := s.refuseWhileUnmined(ctx, p, other); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	if _, others, err = s.payments.pay(ctx, id); len(others) > 0 { // of another caller beside this one
		return &UnminedPaymentError{TransactionID: others[0], Status: "unknown"}
	}
	return err
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

// What is refused where transactions have no nonces. errors.Is finds it in an Error of the server, too.
var (
	// ErrNoReplacement refuses SpeedUp and Void: wait until the transaction is confirmed or expired.
	ErrNoReplacement = errors.New("railkit: on this network nothing takes the place of a signed transaction: " +
		"wait until it is confirmed or expired")
	// ErrAlreadySigned refuses a second body for bytes that were signed under a first one.
	ErrAlreadySigned = errors.New("railkit: these very bytes were signed before, for another body")
)

// Is finds what a refusal means.
func (e *Error) Is(target error) bool {
	return target == ErrNoReplacement && e.Code == "no_replacement" ||
		target == ErrAlreadySigned && e.Code == "already_signed"
}

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
	if by.once() {
		return nil, ErrNoReplacement
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
