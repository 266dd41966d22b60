package recipient

import (
	"context"

	"github.com/railkit/railkit/platform/record"
)

// Waiting finds the orders that wait in review for a recipient or a bank account, before that is changed. The returned
// wake is called in the transaction of the change, and enqueues jobs that advance those orders.
type Waiting func(
	ctx context.Context, workspaceID, id string,
) (wake func(context.Context, record.Queue) error, err error)
