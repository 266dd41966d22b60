package soak

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/solanatest"
	"github.com/railkit/railkit/internal/test/testwait"
	railkit "github.com/railkit/railkit/sdk/go"
)

// use does the steps, each when it is due or as soon as a caller is free.
func (w *world) use(steps []step) {
	due := make(chan step)
	var callers sync.WaitGroup
	for range lanes {
		callers.Go(func() {
			for s := range due {
				w.do(s)
			}
		})
	}
	for _, s := range steps {
		time.Sleep(time.Until(w.began.Add(s.at))) // by its plan
		due <- s
	}
	close(due)
	callers.Wait()
}

func (w *world) do(s step) {
	p := w.payees[s.payee]
	switch s.what {
	case sendCoins:
		w.coins(s.chain, p.at[s.chain].address, s.amount())
	case quote, cancel, leave:
		w.quoted(p, s)
	case sendFiat:
		w.fiat(w.accounts[s.chain][s.account].PartnerVirtualAccountID, s.amount())
	case sendToCLABE:
		w.fiat(p.clabe, s.amount())
	case byBank:
		w.byBank(p, s.amount())
	case batch:
		w.batch(p, s)
	case pay:
		w.pay(p, s)
	}
}

// patience is how long a caller asks for one thing again and again.
const patience = testwait.Bound

// insist calls under one key until it works. What is refused for good is no failure here, since prices end and money is
// short at times: the comparison at the end judges.
func (w *world) insist(what string, call func(context.Context, *railkit.Client) error) bool {
	w.t.Helper()
	ctx := railkit.WithIdempotencyKey(w.t.Context(), uuid.NewString())
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) { // between two tries
		err := call(ctx, w.Client())
		var refused *railkit.Error
		switch {
		case err == nil:
			return true
		case errors.As(err, &refused) && refused.Status < 500 && refused.Status != 409 && refused.Status != 429:
			return false
		case railkit.IsTampered(err) || time.Now().After(deadline):
			w.t.Errorf("%s: %v\n%s", what, err, w.Log.Tail(20))
			return false
		}
	}
}

// outside does something in the world around the platform, where chain and partner may be down for a moment. Nobody
// knows whether what failed was done, so that it may be done twice: that is the depositor's money.
func (w *world) outside(what string, do func(context.Context) error) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) { // between two tries
		err := do(w.t.Context())
		var refused *control.Error
		if err == nil {
			return
		}
		if errors.As(err, &refused) && refused.Status < 500 || time.Now().After(deadline) {
			w.t.Errorf("%s: %v", what, err)
			return
		}
	}
}

func (w *world) coins(slug, address, amount string) {
	w.outside("sending coins", func(ctx context.Context) error {
		_, err := w.Devnet.Faucet(ctx, slug, address, "USDC", amount)
		return err
	})
}

func (w *world) fiat(account, amount string) {
	w.outside("sending fiat", func(ctx context.Context) error {
		_, err := w.Partner.Deposit(ctx, control.BankDeposit{Account: account, Amount: amount})
		return err
	})
}

func (w *world) quoted(p payee, s step) {
	var q *railkit.Quote
	w.insist("quoting", func(ctx context.Context, c *railkit.Client) (err error) {
		q, err = c.Payments.Quote(ctx, railkit.QuoteRequest{
			BeneficiaryID: p.id, Amount: railkit.Number(s.amount()), Currency: "USDC", Chain: s.chain,
		})
		return err
	})
	if q == nil {
		return
	}
	executed := w.insist("executing", func(ctx context.Context, c *railkit.Client) error {
		_, err := c.Payments.Execute(ctx, railkit.ExecuteRequest{QuoteID: q.QuoteID, BeneficiaryID: p.id})
		return err
	})
	switch {
	case !executed || s.what == leave:
	case s.what == cancel:
		w.cancelOrder(q.QuoteID)
	default:
		w.coins(s.chain, p.at[s.chain].address, q.SourceAmount.String())
	}
}

func (w *world) cancelOrder(order string) {
	w.insist("canceling", func(ctx context.Context, c *railkit.Client) error {
		_, err := c.Orders.Cancel(ctx, order)
		return err
	})
}

// post is a call that the SDK has no method for. The answer's status is an error as the SDK's.
func (w *world) post(ctx context.Context, key, path string, body, answer any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.BaseURL+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "ApiKey "+w.Keys.BenchKey)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return &railkit.Error{Status: resp.StatusCode}
	}
	return json.NewDecoder(resp.Body).Decode(&struct{ Data any }{answer})
}

// byBank has a payment quoted in pesos, and sends the pesos to the CLABE that the answer names.
func (w *world) byBank(p payee, amount string) {
	var q struct{ QuoteID string }
	key := uuid.NewString()
	w.insist("quoting in pesos", func(ctx context.Context, _ *railkit.Client) error {
		return w.post(ctx, key, "/v1/payout/accounts/quote", map[string]string{
			"beneficiaryId": p.id, "sourceAmount": amount, "sourceCurrency": "MXN", "destinationCurrency": "MXN",
		}, &q)
	})
	if q.QuoteID == "" {
		return
	}
	var made railkit.Payment
	key = uuid.NewString()
	executed := w.insist("executing in pesos", func(ctx context.Context, _ *railkit.Client) error {
		return w.post(ctx, key, "/v1/payout/accounts/execute", railkit.ExecuteRequest{
			QuoteID: q.QuoteID, BeneficiaryID: p.id,
		}, &made)
	})
	if executed && made.DepositInstructions != nil {
		w.fiat(made.DepositInstructions.CLABE, amount)
	}
}

// batch pays three together, and funds the first two.
func (w *world) batch(p payee, s step) {
	var b *railkit.BatchDetail
	row := railkit.BatchPayment{BeneficiaryID: p.id, Amount: s.amount(), Currency: "USDC", Chain: s.chain}
	w.insist("previewing a batch", func(ctx context.Context, c *railkit.Client) (err error) {
		b, err = c.Batches.Preview(ctx, railkit.BatchRequest{Rows: []railkit.BatchPayment{row, row, row}})
		return err
	})
	if b == nil || !b.Executable {
		return
	}
	id := b.ID // a call that fails leaves no batch
	if !w.insist("executing a batch", func(ctx context.Context, c *railkit.Client) (err error) {
		b, err = c.Batches.Execute(ctx, id)
		return err
	}) {
		return
	}
	for _, r := range b.Rows[:2] {
		w.coins(s.chain, p.at[s.chain].address, r.SourceAmount)
	}
}

// pay sends coins of the wallet to a withdrawal address: what came in goes out again.
func (w *world) pay(p payee, s step) {
	to := p.at[s.chain].address
	asked := w.owner.Payment(to, s.amount())
	if s.chain == "solana" {
		asked = railkit.PrepareTransactionRequest{
			Type: railkit.TransferToken, PayAgain: true, SignWith: w.homes["solana"].address, Network: "solana", To: to,
			Amount: s.amount(), TokenAddress: solanatest.Mint("USDC").String(),
		}
	}
	var made *railkit.PreparedTransaction
	w.insist("preparing", func(ctx context.Context, c *railkit.Client) (err error) {
		made, err = c.Transactions.Prepare(ctx, asked)
		return err
	})
	if made == nil {
		return
	}
	stamp, err := w.owner.Passkey.Stamp(made.UnsignedActivity.Body)
	if err != nil {
		w.t.Error(err)
		return
	}
	w.insist("confirming", func(ctx context.Context, c *railkit.Client) error {
		_, err := c.Transactions.Confirm(ctx, railkit.ConfirmTransactionRequest{
			TransactionID: made.TransactionID, SignedActivity: made.Signed(stamp),
		})
		return err
	})
}

// parts are the processes that are weighed.
var parts = []string{apptest.Server, apptest.Partner, apptest.Enclave}
