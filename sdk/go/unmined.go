package railkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A host can say "not sent yet" of a signed payment, keep it, and send it after
// its owner has paid a second time. So a second payment of the same sender,
// receiver, asset and amount is refused while the first is in no block, unless
// the caller says that it is another one.

// UnminedPaymentError refuses a payment that another transaction makes already,
// which is signed, or may be, and in no block yet. Wait for that one, confirm or cancel
// it where it was not signed, send it (BroadcastTransaction), make it worthless
// (Void), or set PayAgain.
type UnminedPaymentError struct {
	TransactionID string // of the first
	Status        string // as the server says
}

func (e *UnminedPaymentError) Error() string {
	return fmt.Sprintf("railkit: transaction %s (%s) pays the same and is in no block yet; wait for it, cancel or void it, or set PayAgain if this is another payment",
		e.TransactionID, e.Status)
}

// payment is what makes two payments the same.
type payment struct {
	chainID                 uint64
	from, to, token, amount string
}

func (t *Transaction) payment() payment {
	return paymentOf(t.ChainID, t.From, t.To, t.TokenAddress, t.Amount)
}

func paymentOf(chainID uint64, from, to, token, amount string) payment {
	if strings.Contains(amount, ".") {
		amount = strings.TrimRight(strings.TrimRight(amount, "0"), ".")
	}
	amount = strings.TrimLeft(amount, "0")
	return payment{chainID: chainID, from: strings.ToLower(from), to: strings.ToLower(to), token: strings.ToLower(token), amount: amount}
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
	again bool // beside others that are the same
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

func (b *payBook) prepare(id string, w wish) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.prepared) >= maxPayments {
		clear(b.prepared)
	}
	b.prepared[id] = w
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
func (c *Client) refuseUnmined(ctx context.Context, p payment, prepared string) error {
	for _, id := range c.payments.others(p, prepared) {
		if err := c.refuseWhileUnmined(ctx, p, id); err != nil {
			return err
		}
	}
	for _, status := range []string{"pending", "broadcast"} {
		for t, err := range c.AllTransactions(ctx, TransactionListOptions{Status: status, ListOptions: ListOptions{Limit: 200}}) {
			if err != nil {
				return fmt.Errorf("railkit: looking for an unmined payment: %w", err)
			}
			if t.payment() != p || t.TransactionID == prepared {
				continue
			}
			if err := c.refuseWhileUnmined(ctx, p, t.TransactionID); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseWhileUnmined refuses unless the transaction was mined, or was never signed.
func (c *Client) refuseWhileUnmined(ctx context.Context, p payment, id string) error {
	t, err := c.GetTransaction(ctx, id)
	if err != nil {
		return err
	}
	over := t.Status == "cancelled" || t.Status == "expired" || t.Status == "confirmed"
	if !over && t.TxHash != "" {
		b, err := c.GetBroadcast(ctx, id)
		if err != nil {
			return err
		}
		over = b.BlockNumber != nil
	}
	if !over && t.Status == "failed" {
		over, err = c.denied(ctx, t)
	}
	if err != nil {
		return err
	}
	if !over {
		return &UnminedPaymentError{TransactionID: id, Status: t.Status}
	}
	c.payments.forget(p, id)
	return nil
}

// denied says that a transaction failed unsigned, or that the one which took its
// nonce is mined. Of every other failed one the bytes stay good.
func (c *Client) denied(ctx context.Context, t *Transaction) (bool, error) {
	if t.TxHash == "" || t.ReplacedBy == "" {
		return t.TxHash == "", nil
	}
	b, err := c.GetBroadcast(ctx, t.ReplacedBy)
	var failed *Error
	if errors.As(err, &failed) && failed.Status == http.StatusConflict {
		return false, nil // the other one is not signed
	}
	return err == nil && b.BlockNumber != nil, err
}

// notePaid notes a transaction before it is confirmed, and refuses it while
// another one for the same payment is unmined.
func (c *Client) notePaid(ctx context.Context, id string) error {
	p, others := c.payments.pay(id)
	for _, other := range others {
		if err := c.refuseWhileUnmined(ctx, p, other); err != nil {
			return err
		}
	}
	if len(others) == 0 {
		return nil
	}
	if _, others = c.payments.pay(id); len(others) > 0 { // of another caller beside this one
		return &UnminedPaymentError{TransactionID: others[0], Status: "unknown"}
	}
	return nil
}

// notePrepared notes a payment that was prepared, and refuses one that is the
// same as another that is unmined.
func (c *Client) notePrepared(ctx context.Context, e *expectation, id string) error {
	if e.Type != TransferNative && e.Type != TransferToken {
		return nil
	}
	if !e.PayAgain {
		if err := c.refuseUnmined(ctx, e.payment(), id); err != nil {
			return err
		}
	}
	c.payments.prepare(id, wish{e.payment(), e.PayAgain})
	return nil
}

// payment is that of a request whose sender is known.
func (e *expectation) payment() payment {
	token := ""
	if e.Type == TransferToken {
		token = e.TokenAddress
	}
	return paymentOf(e.ChainID, e.from, e.To, token, e.Amount)
}
