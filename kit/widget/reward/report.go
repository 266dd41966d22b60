package reward

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/miniapp"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// ErrUnverifiable is a mini app of which no transaction can be told to be an execution.
var ErrUnverifiable = fault.Define(fault.Unprocessable, "execution_unverifiable",
	"No transaction on this network can be told to be an execution of the mini app",
	"None of its actions on the network pays a listed asset there, calls a contract, or trades: what its server does for "+
		"a user is not on the chain")

// refusedFor is how long the same report of a refused execution is answered with the refusal. After that it is looked
// at anew.
const refusedFor = time.Hour

// most is how many executions one call reports.
const most = 100

// ExecutionReports is one report, or several.
type ExecutionReports struct {
	MiniAppID       string                 `json:"miniAppId,omitempty" maxLength:"64"`
	TxHash          string                 `json:"txHash,omitempty" maxLength:"66"`
	UserAddress     string                 `json:"userAddress,omitempty" maxLength:"42" doc:"Who executed it: the sender of the transaction, or of the token that it moves"`
	ReferrerAddress string                 `json:"referrerAddress,omitempty" maxLength:"42" doc:"Who brought the user. Ignored where it is the user or the mini app's own wallet"`
	ChainID         uint64                 `json:"chainId,omitempty"`
	Events          []rest.ExecutionReport `json:"events,omitempty" minItems:"1" maxItems:"100" doc:"Several, in place of the other members. A body that is an array is taken as this"`
}

// all are the reports of a body, which holds one or events.
func (in ExecutionReports) all() ([]rest.ExecutionReport, error) {
	one := rest.ExecutionReport{
		MiniAppID: in.MiniAppID, TxHash: in.TxHash, UserAddress: in.UserAddress, ReferrerAddress: in.ReferrerAddress,
		ChainID: in.ChainID,
	}
	switch {
	case len(in.Events) > most:
		return nil, fault.Field("events", "must have at most 100 items")
	case len(in.Events) > 0 && one != rest.ExecutionReport{}:
		return nil, fault.Field("events", "must not be given with the members of one report")
	case len(in.Events) > 0:
		return in.Events, nil
	}
	for _, needed := range []struct{ field, value string }{
		{"miniAppId", one.MiniAppID}, {"txHash", one.TxHash}, {"userAddress", one.UserAddress},
	} {
		if needed.value == "" {
			return nil, fault.Field(needed.field, "is required")
		}
	}
	return []rest.ExecutionReport{one}, nil
}

// Report takes executions in, all of them or none. One that is pending or counted stays as its first report has it.
func (s *Service) Report(ctx context.Context, cmd *command.Command, in ExecutionReports) (command.Answer, error) {
	reports, err := in.all()
	if err != nil {
		return command.Answer{}, err
	}
	rows := make([]Execution, len(reports))
	for i, r := range reports {
		at := ""
		if len(in.Events) > 0 {
			at = fmt.Sprintf("events[%d].", i)
		}
		if rows[i], err = s.read(ctx, at, r); err != nil {
			return command.Answer{}, err
		}
		rows[i].WorkspaceID = cmd.Principal.WorkspaceID
	}
	// Two calls that write the same rows write them in the same order: else each could wait for the other.
	slices.SortStableFunc(rows, func(a, b Execution) int { return cmp.Compare(a.ID, b.ID) })
	rows = slices.CompactFunc(rows, func(a, b Execution) bool { return a.ID == b.ID })
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		taken, answer, err := takeIn(ctx, tx, rows)
		return command.Reply{Status: 200, Message: "Executions taken in", Data: answer, Audit: command.Audit{
			Action: "execution.report", Resource: rows[0].ID,
			Detail: map[string]string{"reported": strconv.Itoa(len(rows)), "new": strconv.Itoa(taken)},
		}}, err
	})
}

func takeIn(ctx context.Context, tx Tx, rows []Execution) (taken int, answer rest.IndexedExecutions, err error) {
	answer = rest.IndexedExecutions{
		Indexed: true, Processed: len(rows), Events: make([]rest.ExecutionStatus, len(rows)),
	}
	for i, e := range rows {
		fresh, err := tx.ReportExecution(ctx, e, e.CreatedAt.Add(-refusedFor))
		if err == nil && fresh {
			taken++
			verify := e.job()
			verify.Anew = true // the job of an earlier report of the same execution may be just ending
			err = tx.Enqueue(ctx, verify)
		}
		if err != nil {
			return taken, answer, err
		}
		if e, err = tx.Execution(ctx, e.ID); err != nil {
			return taken, answer, err
		}
		answer.Indexed = answer.Indexed && e.State == Counted
		answer.Events[i] = e.status()
	}
	return taken, answer, nil
}

func (e Execution) status() rest.ExecutionStatus {
	s := rest.ExecutionStatus{MiniAppID: e.MiniAppID, TxHash: e.TxHash, ChainID: e.ChainID, State: string(e.State)}
	if e.Reason != "" {
		s.Reason = &e.Reason
	}
	return s
}

// read makes a row of a report; at is where the report is in the body.
func (s *Service) read(ctx context.Context, at string, r rest.ExecutionReport) (e Execution, err error) {
	n, known := chain.WithChainID(s.rules.Networks, r.ChainID)
	if !known || n.Kind != chain.EVM || r.ChainID == 0 {
		return e, fault.Field(at+"chainId", "must be the chain id of a network of this environment")
	}
	raw, err := chain.ParseHex(r.TxHash)
	if err != nil || len(raw) != 32 {
		return e, fault.Field(at+"txHash", "must be a transaction hash: 0x and 64 hex digits")
	}
	user, err := evm.ParseAddress(r.UserAddress)
	if err != nil {
		return e, fault.Field(at+"userAddress", "must be an address (0x and 40 hex digits)")
	}
	referrer := ""
	if r.ReferrerAddress != "" {
		address, err := evm.ParseAddress(r.ReferrerAddress)
		if err != nil {
			return e, fault.Field(at+"referrerAddress", "must be an address (0x and 40 hex digits)")
		}
		referrer = address.String()
	}
	m, err := s.apps.Find(ctx, r.MiniAppID)
	switch {
	case err == nil && !m.Active:
		return e, fault.Missing("Mini app")
	case err == nil && len(verifiable(m, n)) == 0:
		return e, ErrUnverifiable
	case err != nil:
		return e, err
	}
	now := s.clock.Now()
	e = Execution{
		Environment: s.environment, MiniAppID: m.ID, ChainID: r.ChainID, TxHash: chain.Hex(raw), User: user.String(),
		Referrer: refers(m, user.String(), referrer), State: Pending, CreatedAt: now, UpdatedAt: now,
	}
	e.ID = record.DerivedID("execution", e.Environment, n.ID(), e.TxHash, m.ID)
	return e, nil
}

// refers is the referrer, unless nobody was brought by anybody: a user who names himself, or a mini app that names its
// own wallet, is rewarded for nothing.
func refers(m miniapp.MiniApp, user, referrer string) string {
	if strings.EqualFold(referrer, user) || strings.EqualFold(referrer, m.Wallet) {
		return ""
	}
	return referrer
}
