package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/reconcile"
	"github.com/railkit/railkit/kit/payout/statement"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// exampleStatementCSV is a statement of one payout.
const exampleStatementCSV = "date,at,kind,reference,orderId,currency,moneyIn,moneyOut,fees,balance\r\n" +
	"2026-11-22,,opening,,,usdc,,,,0.000000\r\n" +
	"2026-11-22,2026-11-22T18:24:21.123Z,deposit,OFR-20261122-4Y8K,019c8f5e-7d7a-7cc1-9a35-2d1f0c6a4e11" +
	",usdc,100.000000,0.000000,0.000000,100.000000\r\n" +
	"2026-11-22,2026-11-22T18:24:25.480Z,payout,OFR-20261122-4Y8K,019c8f5e-7d7a-7cc1-9a35-2d1f0c6a4e11" +
	",usdc,0.000000,99.250000,0.750000,0.000000\r\n" +
	"2026-11-22,,closing,,,usdc,,,,0.000000\r\n"

const (
	statementsPath = "/v1/payout/statements"
	statementsTag  = "Statements"
)

// aboutStatements is what all statements have in common.
const aboutStatements = "The balance is the money that the platform holds: the posted ledger entries of deposits that belong to no order yet (accounts `held:`) " +
	"and of orders that are neither paid out, converted nor sent back (accounts `order:`). What is pending does not count. For each currency " +
	"`opening` + `moneyIn` - `moneyOut` - `fees` = `closing`, and `closing` is the `opening` of the next period. Days are days of UTC, of which a period has 366 at most. " +
	"JSON has the first 1,000 lines; CSV has all, and is sent while it is made: an answer that ends as HTTP says is complete."

// Period is the query of a statement.
type Period struct {
	From   string `query:"from" maxLength:"10" doc:"The first day: 2026-11-01. Required"`
	To     string `query:"to" maxLength:"10" doc:"The last day, which may be the first. Required"`
	Format string `query:"format" enum:"json,csv" default:"json"`
}

type ofStatement struct {
	ID string `path:"id" maxLength:"64"`
	Period
}

var statementForms = []edge.Form{{Media: "text/csv", Example: exampleStatementCSV}}

func registerStatements(s *edge.Server, kit *payout.Kit) {
	edge.GetOrFile(s, paying(edge.Op{
		ID: "getDailyStatement", Path: statementsPath + "/days", Tag: statementsTag,
		Summary:     "Get what was held and what moved it, by days, as JSON or CSV",
		Description: aboutStatements,
	}), statementForms, func(
		ctx context.Context, p auth.Principal, in *Period,
	) (rest.AccountStatement, *edge.File, error) {
		return in.statement(ctx, kit, statement.Scope{WorkspaceID: p.WorkspaceID}, true)
	})
	edge.GetOrFile(s, paying(edge.Op{
		ID: "getRecipientStatement", Path: statementsPath + "/recipients/{id}", Tag: statementsTag,
		Summary:     "Get what was held for a recipient and what moved it, as JSON or CSV",
		Description: aboutStatements,
	}), statementForms, func(
		ctx context.Context, p auth.Principal, in *ofStatement,
	) (rest.AccountStatement, *edge.File, error) {
		return in.statement(ctx, kit, statement.Scope{WorkspaceID: p.WorkspaceID, RecipientID: in.ID}, false)
	})
	edge.GetOrFile(s, paying(edge.Op{
		ID: "getDepositAccountStatement", Path: statementsPath + "/deposit-accounts/{id}", Tag: statementsTag,
		Summary:     "Get what was held of a deposit account's deposits and what moved it, as JSON or CSV",
		Description: aboutStatements,
	}), statementForms, func(
		ctx context.Context, p auth.Principal, in *ofStatement,
	) (rest.AccountStatement, *edge.File, error) {
		return in.statement(ctx, kit, statement.Scope{WorkspaceID: p.WorkspaceID, DepositAccountID: in.ID}, false)
	})
}

// statement is the answer in the form that was asked for.
func (in Period) statement(
	ctx context.Context, kit *payout.Kit, of statement.Scope, daily bool,
) (rest.AccountStatement, *edge.File, error) {
	days, err := statement.Days(in.From, in.To)
	if err != nil {
		return rest.AccountStatement{}, nil, err
	}
	if in.Format != "csv" {
		view, err := kit.Statements.Get(ctx, of, days, daily)
		return view, nil, err
	}
	return rest.AccountStatement{}, &edge.File{
		Name: "statement-" + in.From + "-" + in.To + ".csv", Media: csvMedia,
		Parts: kit.Statements.CSV(ctx, of, days, daily),
	}, nil
}

func registerReconciliation(s *edge.Server, books *reconcile.Books) {
	edge.Get(s, paying(edge.Op{
		ID: "getReconciliation", Path: "/v1/payout/reconciliation", Tag: statementsTag,
		Summary: "Get what the last check of the workspace's books found",
		Description: "Once an hour each server compares the orders with the ledger, and the ledger with itself. A difference is a mistake of the platform: " +
			"the operator has been told of it too (`railkit admin reconcile`).",
	}), func(_ context.Context, p auth.Principal, _ *struct{}) (rest.Reconciliation, error) {
		return books.Of(p.WorkspaceID), nil
	})
}
