package recipient

import (
	"context"

	"github.com/railkit/railkit/platform/record"
)

// Waiting finds the orders that wait in review for a recipient or a bank account,
// before that one is changed. The wake that it returns is called in the
// transaction of the change, and has those orders looked at once it commits.
type Waiting func(
	ctx context.Context, workspaceID, id string,
) (wake func(context.Context, record.Queue) error, err error)
