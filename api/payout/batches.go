package payout

import (
	"context"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/kit/payout"
	"github.com/railkit/railkit/kit/payout/batch"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/page"
	"github.com/railkit/railkit/rest"
)

// exampleBatchCSV is a batch of two payments.
const exampleBatchCSV = "reference,beneficiaryId,amount,currency\r\nINV-0117,019c8f5e-7d7a-7cc1-9a35-2d1f0c6a4e11,1500.00,MXN\r\n" +
	"INV-0118,019c8f5e-8a10-7b52-8f0e-6b7f9d2c3a44,250.00,USDC\r\n"

const (
	batchesPath = "/v1/payout/batches"
	batchesTag  = "Batches"
)

// batchCSV is how a batch comes as CSV.
var batchCSV = &edge.Text{
	Media: "text/csv", Example: exampleBatchCSV,
	Read: func(body []byte) (any, error) { return batch.ReadCSV(body) },
}

// ofBatch names a batch.
type ofBatch struct {
	ID string `path:"id" maxLength:"64"`
}

// onBatch names a batch, and has a body.
type onBatch[T any] struct {
	ID   string `path:"id" maxLength:"64"`
	Body T
}

func registerBatches(s *edge.Server, kit *payout.Kit) {
	edge.Write[rest.BatchDetail](s, paying(edge.Op{
		ID: "previewBatch", Method: "POST", Path: batchesPath, Tag: batchesTag, Status: 201, Text: batchCSV,
		MostBody: 1 << 20,
		Summary:  "Preview many payments: all that is wrong with them, their prices and sums",
		Description: "Takes 1 to 1,000 rows as JSON or as CSV (`Content-Type: text/csv`) whose header line names the fields of a row. Each row is what one quote " +
			"asks for. Nothing is paid: the answer has the errors of all rows at once. Its prices hold until `expiresAt`.",
	}), func(ctx context.Context, cmd *command.Command, in *edge.Body[rest.BatchRequest]) (command.Answer, error) {
		return kit.Batches.Preview(ctx, cmd, in.Body)
	})
	edge.Write[rest.BatchDetail](s, paying(edge.Op{
		ID: "executeBatch", Method: "POST", Path: batchesPath + "/{id}/execute", Tag: batchesTag, Status: 201,
		Known:   true,
		Summary: "Execute a batch: an order of each row, or none",
		Description: "If one row cannot be paid any more, no order is made, and 422 `batch_changed` names the rows. Rows that were paid before are executed only with `payAgain`, else 422 `batch_paid_before` names them. An executed batch answers 200 with the same orders. " +
			"Each order that waits needs a deposit of its own (`depositInstructions`): one deposit of the sum is not divided among several.",
	}), func(
		ctx context.Context, cmd *command.Command, in *onBatch[*rest.BatchExecuteRequest],
	) (command.Answer, error) {
		if in.Body == nil {
			in.Body = &rest.BatchExecuteRequest{}
		}
		return kit.Batches.Execute(ctx, cmd, in.ID, *in.Body)
	})
	edge.Write[rest.Batch](s, paying(edge.Op{
		ID: "cancelBatch", Method: "POST", Path: batchesPath + "/{id}/cancel", Tag: batchesTag,
		Summary: "Cancel a batch that is not executed",
	}), func(ctx context.Context, cmd *command.Command, in *ofBatch) (command.Answer, error) {
		return kit.Batches.Cancel(ctx, cmd, in.ID)
	})
	edge.List(s, paying(edge.Op{
		ID: "listBatches", Path: batchesPath, Tag: batchesTag, Summary: "List batches, newest first",
	}), func(ctx context.Context, p auth.Principal, in *edge.Paging) (edge.Page[rest.Batch], error) {
		return edge.PageFrom(*in, func(at page.Page) ([]rest.Batch, *page.Cursor, int, error) {
			return kit.Batches.List(ctx, p, at)
		})
	})
	edge.Get(s, paying(edge.Op{
		ID: "getBatch", Path: batchesPath + "/{id}", Tag: batchesTag,
		Summary: "Get a batch with a page of its rows, and their orders once it is executed",
	}), func(ctx context.Context, p auth.Principal, in *struct {
		ID    string `path:"id" maxLength:"64"`
		Page  int    `query:"page" minimum:"1" maximum:"1000" default:"1" doc:"Of the rows, counted from 1"`
		Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"Rows per page"`
	}) (rest.BatchDetail, error) {
		return kit.Batches.Get(ctx, p, in.ID, (in.Page-1)*in.Limit, in.Limit)
	})
}
