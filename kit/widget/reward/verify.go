package reward

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
)

const (
	askTimeout = 10 * time.Second // all that one look asks a node
	// patience is how long after its report a transaction may be unknown to the node, or in too few blocks.
	patience    = 24 * time.Hour
	lookSoonest = 2 * time.Second
	lookLatest  = 30 * time.Minute
)

var errNoNode = errors.New("no node is configured for the network")

// Verify asks the network's node about a pending execution, and writes down that it counts or why it does not. It looks
// again as long as the node cannot say; each time later.
func (s *Service) Verify(ctx context.Context, _, id string) (again time.Duration, err error) {
	e, err := s.store.Execution(ctx, id)
	if errors.Is(err, fault.ErrNotFound) {
		return 0, nil
	}
	if err != nil || e.State != Pending {
		return 0, err
	}
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	next, err := s.judged(asking, e)
	if err != nil {
		return 0, err
	}
	if next.State == Pending {
		age := s.clock.Now().Sub(e.CreatedAt)
		if age < patience {
			return min(max(age/4, lookSoonest), lookLatest), nil
		}
		next = next.refused("the network has no such transaction, or not deep enough, a day after the report")
	}
	next.UpdatedAt = s.clock.Now()
	err = s.store.Work(ctx, e.WorkspaceID, func(ctx context.Context, tx Tx) (command.Audit, error) {
		return next.audit(), tx.JudgeExecution(ctx, next)
	})
	if errors.Is(err, record.ErrStale) { // another server was faster
		return lookSoonest, nil
	}
	return 0, err
}

func (e Execution) audit() command.Audit {
	detail := map[string]string{"tx": e.TxHash, "chainId": strconv.FormatUint(e.ChainID, 10), "miniApp": e.MiniAppID}
	if e.State == Refused {
		detail["reason"] = e.Reason
		return command.Audit{Action: "execution.refuse", Resource: e.ID, Detail: detail}
	}
	return command.Audit{Action: "execution.count", Resource: e.ID, Detail: detail}
}

func (e Execution) refused(reason string) Execution {
	e.State, e.Reason = Refused, reason
	return e
}

// judged is the execution as the node tells of its transaction. It stays pending while that is not deep enough: a reorg
// may still take it away.
func (s *Service) judged(ctx context.Context, e Execution) (Execution, error) {
	n, _ := chain.WithChainID(s.rules.Networks, e.ChainID)
	at, ok := s.nodes.Node(n.Slug)
	if !ok {
		return e, errNoNode
	}
	r, found, err := at.Receipt(ctx, e.TxHash)
	if err != nil || !found {
		return e, err
	}
	head, err := at.Head(ctx)
	if err != nil || head-r.BlockNumber+1 < int64(n.Confirmations) {
		return e, err
	}
	block, err := at.Headers(ctx, []int64{r.BlockNumber})
	if errors.Is(err, node.ErrNoBlock) || err == nil && block[0].Hash != r.BlockHash {
		return e, nil // a reorg is under way
	}
	switch {
	case err != nil:
		return e, err
	case !r.Succeeded:
		return e.refused("the transaction failed on the network"), nil
	}
	m, err := s.apps.Find(ctx, e.MiniAppID)
	if err != nil {
		return e, err
	}
	if block[0].Time < m.CreatedAt.Unix() {
		return e.refused("the transaction is older than the mini app's listing"), nil
	}
	p, err := proofOf(ctx, at, n, e, r)
	if err != nil || p == nil {
		return e, err
	}
	e.Block = r.BlockNumber
	return p.judge(m, e), nil
}

// Sweep makes jobs of executions at which nobody has looked since, because the job was lost.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.store.PendingExecutions(ctx, s.clock.Now().Add(-record.SweepJobs), record.SweepBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(e Execution) error {
		return record.Do(ctx, s.store, e.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.Enqueue(ctx, e.job())
		})
	})
}
