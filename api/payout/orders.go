package payout

import (
	"context"
	"strings"
	"time"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/orderview"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// exampleOrdersCSV is an export of one order.
const exampleOrdersCSV = "reference,id,type,status,createdAt,updatedAt,completedAt,recipientName,accountLast4,rail," +
	"sourceAmount,sourceCurrency,chain,networkFee,platformFee,rate,destinationAmount,destinationCurrency," +
	"depositTxHash,bankReference,refundReference,refundStatus,refundAmount,refundTxHash,failureCode,failureReason\r\n" +
	"OFR-20261122-4Y8K,019c8f5e-7d7a-7cc1-9a35-2d1f0c6a4e11,off_ramp,completed,2026-11-22T18:24:19.123Z,2026-11-22T18:25:02.480Z," +
	"2026-11-22T18:25:02.480Z,Ana Ruiz,9719,spei,100.000000,usdc,base,0.500000,0.250000,18.4075,1826.94,mxn," +
	"0xab38c0e1f7d94b52a6c38e20d915f47b6e03a8d1c2f4b59687a0e1d3c5f789a7,2026112240014BMOV0000412345678,,,,,,\r\n"

const (
	ordersPath = "/v1/orders"
	ordersTag  = "Orders"
)

// ofOrder names an order, by its id or any reference.
type ofOrder struct {
	ID string `path:"id" maxLength:"128" doc:"Its id, or what else it is known by: OFR reference, transaction hash, tracking key, quote, refund. Where it is read, a withdrawal address stands for its newest order"`
}

func registerOrders(s *edge.Server, kit *payout.Kit) {
	edge.List(s, paying(edge.Op{
		ID: "listOrders", Path: ordersPath, Tag: ordersTag, Summary: "List orders, newest first",
		Description: "`meta.counts` says how many orders of each status the other filters select.",
	}), listOrders(kit))
	edge.Stream(s, paying(edge.Op{
		ID: "exportOrders", Path: ordersPath + "/export", Tag: ordersTag,
		Summary: "Export orders as CSV or JSON lines, newest first",
		Description: "All orders that the filters of the list select, without pages, sent while they are read. " +
			"If the server fails meanwhile, it breaks the connection: an answer that ends as HTTP says is complete. " +
			"In CSV, a text that a spreadsheet would run as a formula has an apostrophe before it.",
	}), exportForms, exportOrders(kit))
	edge.Get(s, paying(edge.Op{
		ID: "getOrder", Path: ordersPath + "/{id}", Tag: ordersTag,
		Summary: "Get an order with its timeline, fees, references and where the money went",
	}), func(ctx context.Context, p auth.Principal, in *ofOrder) (rest.OrderDetail, error) {
		return kit.Orders.Get(ctx, p, in.ID)
	})
	edge.Write[rest.Order](s, paying(edge.Op{
		ID: "cancelOrder", Method: "POST", Path: ordersPath + "/{id}/cancel", Tag: ordersTag,
		Summary: "Cancel an order that still waits for its deposit",
	}), func(ctx context.Context, cmd *command.Command, in *ofOrder) (command.Answer, error) {
		return kit.Orders.Cancel(ctx, cmd, in.ID)
	})
	edge.Get(s, paying(edge.Op{
		ID: "listRecipientOrders", Path: recipientPath + "/orders", Tag: recipientsTag,
		Summary: "List the newest orders of a recipient",
	}), func(ctx context.Context, p auth.Principal, in *struct {
		ID    string `path:"id" maxLength:"64"`
		Limit int    `query:"limit" minimum:"1" maximum:"50" default:"5"`
	}) ([]rest.RecipientOrder, error) {
		return kit.Orders.OfRecipient(ctx, p, in.ID, in.Limit)
	})
}

type ordersQuery struct {
	edge.Paging
	OrderSelection
}

// OrderSelection is the query that selects orders, of the list and of the export.
type OrderSelection struct {
	Status    []string `query:"status" enum:"awaiting,awaiting_funds,in_review,funds_received,payment_submitted,completed,canceled,returned,expired,error" doc:"Several with commas between; awaiting_funds is awaiting"`
	Type      []string `query:"type" enum:"global_payment,off_ramp,on_ramp" doc:"Several with commas between"`
	Size      []string `query:"size" enum:"ach_wire,spei,sepa,pix,faster_payments" doc:"The family of the rail; several with commas between"`
	Pair      string   `query:"pair" maxLength:"9" doc:"USDC/MXN"`
	Name      string   `query:"beneficiary_legal_name" maxLength:"100" doc:"Part of the recipient's name"`
	AccountID string   `query:"beneficiary_account_id" maxLength:"64"`
	Recipient string   `query:"recipientId" maxLength:"64"`
	Address   string   `query:"withdrawAddressId" maxLength:"64"`
	From      string   `query:"from" maxLength:"40" doc:"Made then or later: ISO 8601, a date or an instant"`
	To        string   `query:"to" maxLength:"40" doc:"Made then or earlier; a date is the whole day"`
	Q         string   `query:"q" maxLength:"100" doc:"Part of the reference, the recipient's name or an amount"`
	Reference string   `query:"reference" maxLength:"128" doc:"Any reference, as of the path; a withdrawal address's finds all its orders"`
	TxHash    string   `query:"txHash" maxLength:"128" doc:"Of a deposit or a refund"`
}

func (q OrderSelection) filter(at page.Page) (orderview.Filter, error) {
	f := orderview.Filter{
		Pair: strings.ToUpper(q.Pair), RecipientName: q.Name, BankAccountID: q.AccountID, RecipientID: q.Recipient,
		WithdrawAddressID: q.Address,
		Search:            q.Q, Page: at,
	}
	for _, text := range q.Status {
		if text == "awaiting_funds" {
			text = string(order.Awaiting)
		}
		f.Statuses = append(f.Statuses, order.Status(text))
	}
	for _, text := range q.Type {
		f.Types = append(f.Types, order.Type(text))
	}
	for _, text := range q.Size {
		f.Rails = append(f.Rails, orderview.RailsOf(text)...)
	}
	for _, reference := range []string{q.Reference, q.TxHash} {
		if reference != "" {
			f.References = append(f.References, reference)
		}
	}
	var err error
	if f.From, err = readInstant("from", q.From, 0); err != nil {
		return f, err
	}
	f.To, err = readInstant("to", q.To, 24*time.Hour-time.Microsecond)
	return f, err
}

// readInstant reads a date or an instant. A date is taken so far into its day.
func readInstant(field, text string, into time.Duration) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Add(into), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	switch {
	case err != nil:
		return time.Time{}, fault.Field(field, "must be an ISO 8601 date or instant")
	// answers tell no more: all that they tell alike is included
	case into > 0 && at.Equal(at.Truncate(time.Millisecond)):
		at = at.Add(time.Millisecond - time.Microsecond)
	}
	return at, nil
}

func listOrders(kit *payout.Kit) func(context.Context, auth.Principal, *ordersQuery) (edge.Page[rest.Order], error) {
	return func(ctx context.Context, p auth.Principal, in *ordersQuery) (edge.Page[rest.Order], error) {
		var counts orderview.Counts
		list, err := edge.PageFrom(in.Paging, func(at page.Page) ([]rest.Order, *page.Cursor, int, error) {
			f, err := in.filter(at)
			if err != nil {
				return nil, nil, 0, err
			}
			var views []rest.Order
			var next *page.Cursor
			views, next, counts, err = kit.Orders.List(ctx, p, f)
			return views, next, counts.Total(f.Statuses), err
		})
		list.Counts = counts.ByName()
		return list, err
	}
}

// exportForms are what an export answers with. Of the media types, OpenAPI shows no parameters.
var exportForms = []edge.Form{{Media: "text/csv", Example: exampleOrdersCSV}, {Media: jsonlMedia, Line: rest.Order{}}}

type exportQuery struct {
	OrderSelection
	Format string `query:"format" enum:"csv,jsonl" default:"csv" doc:"jsonl: each line is an order as the list shows it"`
}

const (
	csvMedia   = "text/csv; charset=utf-8"
	jsonlMedia = "application/x-ndjson"
)

func exportOrders(kit *payout.Kit) func(context.Context, auth.Principal, *exportQuery) (*edge.File, error) {
	return func(ctx context.Context, p auth.Principal, in *exportQuery) (*edge.File, error) {
		f, err := in.filter(page.Page{})
		if err != nil {
			return nil, err
		}
		file := &edge.File{Name: "orders." + in.Format, Media: csvMedia}
		if in.Format == string(orderview.JSONL) {
			file.Media = jsonlMedia
		}
		file.Parts = kit.Orders.Export(ctx, p, f, orderview.Format(in.Format))
		return file, nil
	}
}
