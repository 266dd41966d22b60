package payout_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A payment can be made by naming both its ends. The first one to a bank account
// also makes the withdrawal address.
func (d *counter) executesAtOnce(t *testing.T) {
	eva, clabe := d.recipient("Eva", mexican)
	ask := func(change ...string) map[string]any {
		body := map[string]any{
			"beneficiary_account_id": clabe.ID, "source_amount": "100", "source_currency": "usdc",
			"destination_currency": "mxn",
		}
		for i := 0; i < len(change); i += 2 {
			delete(body, change[i])
			if change[i+1] != "" {
				body[change[i]] = change[i+1]
			}
		}
		return body
	}
	d.refusesAtOnce(t, ask)
	wantCode(t, "without a key", d.post(executePath, ask()), 400, "validation_failed", "Idempotency-Key is required")
	if _, err := d.withdrawAddress(clabe.ID); err == nil {
		t.Error("what was refused has made an address")
	}

	p := paymentOf(t, d.underKey(ask()), 201)
	made := must(d.withdrawAddress(clabe.ID))(t)
	if p.Amount != "100.000000" ||
		p.NetAmount != "1826.94" || p.Fees != "0.750000" || p.OrderStatus != "awaiting" || p.BeneficiaryID != eva.ID ||
		p.DepositInstructions == nil || p.DepositInstructions.Address != made.Address || made.PartnerID == "" {
		t.Errorf("%+v %+v", p, p.DepositInstructions)
	}
	o := must(d.Orders.Get(t.Context(), p.QuoteID))(t)
	if o.ID != p.OrderID || o.Rates == nil || o.Rates.Sell != "18.4075" {
		t.Errorf("by its price: %+v", o)
	}
	other := must(d.Payments.Execute(t.Context(), railkit.ExecuteRequest{
		BeneficiaryAccountID: clabe.ID, DestinationAmount: "1827.17", SourceCurrency: "USD", DestinationCurrency: "MXN",
	}))(t)
	if other.OrderID == p.OrderID || other.NetAmount != "1827.17" || other.DepositInstructions.Address != made.Address {
		t.Errorf("another one: %+v", other)
	}

	// Repeated under a key it is the same; what lies at the address pays for one.
	d.lay(made, "100")
	key := uuid.NewString()
	first := paymentOf(
		t, d.Do(d.Keys.BenchKey, "POST", executePath, apptest.JSON(t, ask()), "Idempotency-Key", key), 201,
	)
	again := paymentOf(
		t, d.Do(d.Keys.BenchKey, "POST", executePath, apptest.JSON(t, ask()), "Idempotency-Key", key), 201,
	)
	if first.OrderStatus != "funds_received" || again.OrderID != first.OrderID {
		t.Errorf("%+v, again %+v", first, again)
	}
	d.lay(made, "99")
	wantCode(
		t, "too little lies there", d.underKey(ask()), 422, "withdraw_balance_insufficient", "Insufficient balance",
	)
}

func (d *counter) refusesAtOnce(t *testing.T, ask func(...string) map[string]any) {
	for what, c := range map[string]struct {
		body          map[string]any
		status        int
		code, message string
	}{
		"nothing": {map[string]any{}, 400, "validation_failed", "quoteId is required"},
		"no recipient": {
			map[string]any{"quoteId": uuid.NewString()}, 400, "validation_failed", "beneficiaryId is required",
		},
		"both forms": {
			ask("quoteId", uuid.NewString()), 400, "validation_failed", "quoteId must not be given with",
		},
		"no account": {
			ask("beneficiary_account_id", ""), 400, "validation_failed", "beneficiaryAccountId is required",
		},
		"no amount": {
			ask("source_amount", ""), 400, "validation_failed", "sourceAmount or destinationAmount is required",
		},
		"two amounts": {
			ask("destination_amount", "1"), 400, "validation_failed",
			"sourceAmount or destinationAmount is required, and not both",
		},
		"no source": {ask("source_currency", ""), 400, "validation_failed", "sourceCurrency is required"},
		"no destination": {
			ask("destination_currency", ""), 400, "validation_failed", "destinationCurrency is required",
		},
		"another currency": {
			ask("destination_currency", "usd"), 400, "validation_failed",
			"destinationCurrency must be the bank account's",
		},
		"no account number": {
			ask("source_currency", "eur"), 400, "validation_failed", "sourceCurrency must be MXN, USDC",
		},
		"no such pair":   {ask("source_currency", "usdt"), 400, "pair_unsupported", "USDT is not issued on base"},
		"nobody watches": {ask("chain", "solana"), 503, "chain_not_watched", ""},
		"nobody's account": {
			ask("beneficiary_account_id", uuid.NewString()), 422, "bank_account_missing", "no such active bank account",
		},
		"another recipient": {
			ask("beneficiaryId", d.to.ID), 422, "bank_account_missing", "no such active bank account",
		},
		"nobody": {ask("beneficiaryId", uuid.NewString()), 422, "recipient_not_found", "Recipient not found"},
	} {
		wantCode(t, what, d.underKey(c.body), c.status, c.code, c.message)
	}
}

// underKey executes under a key of its own.
func (d *counter) underKey(body map[string]any) apptest.Answer {
	d.t.Helper()
	return d.Do(d.Keys.BenchKey, "POST", executePath, apptest.JSON(d.t, body), "Idempotency-Key", uuid.NewString())
}

func paymentOf(t *testing.T, a apptest.Answer, status int) (got railkit.Payment) {
	t.Helper()
	var body struct{ Data railkit.Payment }
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil || a.Status != status {
		t.Fatalf("%d %s, want %d", a.Status, a.Body, status)
	}
	return body.Data
}
