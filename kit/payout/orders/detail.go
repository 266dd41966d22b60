package orders

import (
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/price"
	"github.com/railkit/railkit/money"
)

// Detail is one order with all that is known of it.
type Detail struct {
	View
	Deposit     *DepositView     `json:"deposit,omitempty"`
	Rates       *RatesView       `json:"rates,omitempty" doc:"Of the quote"`
	Explanation *ExplanationView `json:"explanation,omitempty" doc:"Where the money goes, to the smallest unit; once the price is known"`
	Timeline    []TimelineEntry  `json:"timeline" doc:"Oldest first"`
}

// DepositView is the transfer on chain that pays for an order.
type DepositView struct {
	TxHash        string `json:"txHash"`
	From          string `json:"from"`
	Amount        string `json:"amount"`
	Currency      string `json:"currency"`
	Chain         string `json:"chain"`
	BlockNumber   uint64 `json:"blockNumber"`
	Confirmations int    `json:"confirmations"`
	Required      int    `json:"requiredConfirmations"`
	Final         bool   `json:"final"`
}

// RatesView is what the desk asked when the price was made.
type RatesView struct {
	Midmarket   string `json:"midmarket"`
	Sell        string `json:"sell"`
	SpreadBps   int64  `json:"spreadBps" doc:"Basis points that the partner keeps of the middle rate"`
	FetchedAt   string `json:"fetchedAt" format:"date-time"`
	PublishedAt string `json:"publishedAt" format:"date-time" doc:"By the partner's clock"`
}

// ExplanationView says where a gross amount goes: gross = network + platform +
// converted + residue + drift, and converted at the rate is net.
type ExplanationView struct {
	Gross     string `json:"gross"`
	Network   string `json:"network"`
	Platform  string `json:"platform"`
	Converted string `json:"converted"`
	Residue   string `json:"residue" doc:"Too little for the smallest unit of what was bought"`
	Drift     string `json:"drift" doc:"What the rate moved between a quote and its payout; above zero is the platform's gain"`
	Currency  string `json:"currency" doc:"Of all the above"`
	Rate      string `json:"rate"`
	Net       string `json:"net"`
	NetIn     string `json:"netCurrency"`
	Text      string `json:"text" doc:"The same for people"`
}

// TimelineEntry is something that happened to an order.
type TimelineEntry struct {
	Seq        int64             `json:"seq"`
	Type       string            `json:"type" doc:"deposit.confirmed, fiat.submitted and so on: docs/states.md"`
	Status     string            `json:"status" doc:"Of the order, after it"`
	At         string            `json:"at" format:"date-time" doc:"When it was recorded"`
	OccurredAt string            `json:"occurredAt" format:"date-time" doc:"By the clock of its source"`
	Source     string            `json:"source" enum:"system,partner,chain,user,operator"`
	Detail     map[string]string `json:"detail,omitempty"`
}

// detailOf is the order with its timeline and its arithmetic.
func detailOf(o order.Order, all []order.Entry) (Detail, error) {
	explained, err := explain(o)
	return Detail{View: ViewOf(o), Deposit: viewDeposit(o), Explanation: explained, Timeline: timeline(all)}, err
}

func viewDeposit(o order.Order) *DepositView {
	d := o.Deposit
	if d == nil {
		return nil
	}
	return &DepositView{
		TxHash: d.Hash, From: d.From, Amount: d.Amount.String(), Currency: string(d.Amount.Currency), Chain: o.Chain,
		BlockNumber: d.Block, Confirmations: d.Confirmations, Required: d.Required, Final: d.Final && !d.Gone,
	}
}

// explain splits the gross. What was settled is told as it was, anything else
// as it is to be.
func explain(o order.Order) (*ExplanationView, error) {
	if o.Terms.Rate.IsZero() || o.Terms.Net.IsZero() {
		return nil, nil
	}
	e, err := price.Explain(o.Terms)
	if err != nil {
		return nil, err
	}
	drift := money.Of(0, o.Source)
	if o.Terms.Quoted && !o.Payout.Converted.IsZero() { // what is over is not a residue: the rate is another one
		drift, e.Residue = e.Residue, drift
	}
	return &ExplanationView{
		Gross: e.Gross.String(), Network: e.Network.String(), Platform: e.Platform.String(),
		Converted: e.Converted.String(),
		Residue:   e.Residue.String(), Drift: drift.String(), Currency: string(o.Source),
		Rate: e.Rate.String(), Net: e.Net.String(), NetIn: string(o.Destination), Text: sentence(e, drift),
	}, nil
}

func sentence(e price.Explained, drift money.Amount) string {
	text := e.Gross.Display() + " - " + e.Network.Display() + " network fee - " + e.Platform.Display() + " platform fee"
	for _, part := range []struct {
		of   money.Amount
		name string
	}{{e.Residue, " rounding"}, {drift, " rate movement"}} {
		if part.of.Minor > 0 {
			text += " - " + part.of.Display() + part.name
		}
		if part.of.Minor < 0 {
			text += " + " + part.of.Neg().Display() + part.name
		}
	}
	return text + " = " + e.Converted.Display() + ", at " + e.Rate.String() + " = " + e.Net.Display()
}

// timeline shows a run of confirmations as the last of them.
func timeline(all []order.Entry) []TimelineEntry {
	shown := []TimelineEntry{}
	for i, e := range all {
		if e.Kind == order.DepositSeen && i+1 < len(all) && all[i+1].Kind == order.DepositSeen {
			continue
		}
		shown = append(shown, TimelineEntry{
			Seq: e.Seq, Type: string(e.Kind), Status: string(e.Status), At: clock.ISO(e.At),
			OccurredAt: clock.ISO(e.OccurredAt),
			Source:     string(e.By), Detail: e.Detail,
		})
	}
	return shown
}
