package walk_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	railkit "github.com/railkit/railkit/sdk/go"
)

// The queries of an order, from key to commit, without those that begin and end
// its two transactions and ask for the time. Each costs both sides: a further one
// has to be worth it.
const (
	ofQuote = "KeyByHash Answer PayableAt " + // who asks, and for whom
		"ClaimAnswers InsertQuotes " +
		"TakeAuditHeads FillAnswers InsertEvents InsertAudit MoveAuditHeads"
	ofOrder = "KeyByHash Answer Quoted " +
		"ClaimAnswers HoldBalance ClaimForOrder InsertOrder InsertOrderEvents InsertOrderReferences " +
		"AddToOrderCounts " +
		"TakeAuditHeads FillAnswers InsertEvents InsertAudit MoveAuditHeads"
)

func TestPayout_OrderQueries(t *testing.T) {
	s := newStage(t, apptest.WithPostgres(t), heard)
	queries := newListener(t, s.App)
	ask := walk.Mutations["quotePayout"](s.own)
	accept := walk.Mutations["executePayout"](s.own)
	send := func(r walk.Request, data any) {
		t.Helper()
		a := r.Send(s.own, "Idempotency-Key", uuid.NewString())
		if a.Status/100 != 2 {
			t.Fatalf("%s: %s", r.Path, brief(a))
		}
		if err := json.Unmarshal([]byte(a.Body), &struct{ Data any }{data}); err != nil {
			t.Fatal(err)
		}
	}
	var quote railkit.Quote
	var order railkit.Payment
	for range 20 { // a job of the server's may come between
		ran := queries.during(func() { send(ask, &quote) })
		body := railkit.ExecuteRequest{QuoteID: quote.QuoteID, BeneficiaryID: quote.BeneficiaryID}
		accept.Body = apptest.JSON(t, body)
		then := queries.during(func() { send(accept, &order) })
		if ran == ofQuote && then == ofOrder {
			return
		}
		t.Logf("quote: %s\norder: %s", ran, then)
	}
	t.Errorf("want\nquote: %s\norder: %s", ofQuote, ofOrder)
}
