package activity

import (
	"context"
	"fmt"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/platform/command"
)

// Kind is what the server does about one kind of bodies, once the enclave has executed them. It is in the package of
// the noun that they are about; package change has those of all nouns.
type Kind struct {
	Type wire.ActivityType

	// Of a change:
	Link    link.Kind // the page on which it is stamped
	Action  string    // of the audit row: "policy.create"
	Status  int       // of the answer, once it is done
	Message string    // of the answer then; "": Success
	// Reply is the answer then; nil: it is no change, and a call of its own answers.
	Reply func(context.Context, Activity, client.Outcome) (any, error)
	Audit func(context.Context, Activity, client.Outcome) (command.Audit, error) // nil: the action, of the activity

	// Volatile is what the server adds when a body that has its votes is executed; nil: nothing.
	Volatile func(context.Context, Activity) (*wire.Volatile, error)

	// Finish writes what the enclave made, also after a crash that kept it out of the database; nil: it is done, and
	// what came of it is the enclave's to tell.
	Finish func(context.Context, Tx, Activity, client.Outcome) error
	// Recover is in the place of Finish where what a crash left takes a transaction of its own.
	Recover func(context.Context, Activity, client.Outcome) error
}

// Within makes the Finish of a noun that writes with a Tx of its own. There is one transaction behind them all, which
// writes the rows of every noun.
func Within[T Tx](
	finish func(context.Context, T, Activity, client.Outcome) error,
) func(context.Context, Tx, Activity, client.Outcome) error {
	return func(ctx context.Context, tx Tx, a Activity, out client.Outcome) error {
		own, ok := tx.(T)
		if !ok {
			return fmt.Errorf("the transaction %T does not write what becomes of %s", tx, a.Kind)
		}
		return finish(ctx, own, a, out)
	}
}
