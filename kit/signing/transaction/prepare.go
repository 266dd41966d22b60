package transaction

import (
	"context"
	"errors"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/signer"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// PreparedTransaction is a transaction that waits for its stamp.
type PreparedTransaction struct {
	TransactionID       string          `json:"transactionId"`
	UnsignedTransaction string          `json:"unsignedTransaction" doc:"As it would be signed now; with custody enclave nonce and fee may move within what is stamped"`
	From                string          `json:"from"`
	To                  string          `json:"to"`
	Amount              string          `json:"amount"`
	TokenAddress        string          `json:"tokenAddress,omitempty"`
	ChainID             uint64          `json:"chainId,omitempty" doc:"Absent where transactions name no chain, as on Solana"`
	Network             string          `json:"network"`
	Status              State           `json:"status" enum:"awaiting_signature"`
	Custody             string          `json:"custody" enum:"enclave,external" doc:"external: signWith is an address of no wallet, and its owner signs unsignedTransaction as it is"`
	Notice              string          `json:"notice,omitempty" doc:"Of external: what does not apply"`
	Fee                 rest.NetworkFee `json:"fee"`
	CreatedAt           string          `json:"createdAt" format:"date-time"`
	ExpiresAt           string          `json:"expiresAt" format:"date-time"`
	Replaces            string          `json:"replaces,omitempty" doc:"Of speed_up and void: the transaction whose nonce is taken"`
	*activity.Prepared                  // nil where custody is external: there is nothing to stamp
}

// Prepare writes the body of a transaction.
func (s *Service) Prepare(ctx context.Context, cmd *command.Command,
	in plan.PrepareTransactionInput,
) (command.Answer, error) {
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	p, err := s.plan(asking, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	if p.External {
		return s.prepareExternal(ctx, cmd, p, in)
	}
	t, fee, d, err := s.draft(ctx, p, in.Type, record.NewID(), "/v1/transactions/confirm")
	if err != nil {
		return command.Answer{}, err
	}
	t.Held = in.Held()
	return s.commitPrepared(ctx, cmd, t, fee, d)
}

// Drafted is a transaction that a call of another noun prepares.
type Drafted struct {
	Row   Transaction
	View  PreparedTransaction
	draft activity.Draft
}

// DraftTx is what Insert needs of a transaction of the database.
type DraftTx interface {
	link.Tx
	InsertTransaction(context.Context, Transaction) error
}

// DraftStore is what a noun needs of a database that does nothing but draft transactions.
type DraftStore interface {
	Transaction(ctx context.Context, workspaceID, id string) (Transaction, error)
	record.Writer[DraftTx]
}

// Insert writes the transaction with its link.
func (d Drafted) Insert(ctx context.Context, tx DraftTx, back *command.Return) error {
	return errors.Join(tx.InsertTransaction(ctx, d.Row), d.draft.InsertLink(ctx, tx, back))
}

// Draft has the enclave preview a transaction of a wallet whose stamped body goes to the url.
func (s *Service) Draft(ctx context.Context, workspaceID string, in plan.PrepareTransactionInput, url string,
) (Drafted, error) {
	asking, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	p, err := s.plan(asking, workspaceID, in)
	if err != nil {
		return Drafted{}, err
	}
	t, fee, d, err := s.draft(ctx, p, in.Type, record.NewID(), url)
	return Drafted{t, t.prepared(fee, &d.Prepared), d}, err
}

// plan plans the transaction that is asked for, or the replacement of another one.
func (s *Service) plan(ctx context.Context, workspaceID string, in plan.PrepareTransactionInput) (plan.Plan, error) {
	if !in.Replacing() {
		return s.c.Planner.Plan(ctx, workspaceID, in)
	}
	if err := in.CheckReplacing(); err != nil {
		return plan.Plan{}, err
	}
	t, err := s.c.Store.Transaction(ctx, workspaceID, in.Replaces)
	if err != nil {
		return plan.Plan{}, err
	}
	old, err := t.toReplace()
	if err != nil {
		return plan.Plan{}, err
	}
	return s.c.Planner.PlanReplacement(ctx, workspaceID, in, old)
}

// draft writes the body of a transaction and has the enclave say what it does.
func (s *Service) draft(ctx context.Context, p plan.Plan,
	kind, id, url string,
) (Transaction, rest.NetworkFee, activity.Draft, error) {
	if kind == plan.ExactBytes {
		if err := s.c.Planner.TryExact(ctx, &p); err != nil {
			return Transaction{}, rest.NetworkFee{}, activity.Draft{}, err
		}
	}
	d := activity.Draft{
		Kind: p.Kind, Link: link.Transaction, Owner: p.Wallet.Owner(), ID: id, URL: url, Params: p.Params,
	}
	if err := s.c.Activities.Prepare(ctx, &d); err != nil {
		return Transaction{}, rest.NetworkFee{}, d, err
	}
	t, fee, err := Planned(p, d, kind)
	return t, fee, d, err
}

func (s *Service) commitPrepared(ctx context.Context, cmd *command.Command, t Transaction, fee rest.NetworkFee,
	d activity.Draft,
) (command.Answer, error) {
	view := t.prepared(fee, &d.Prepared)
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: "transaction.prepare", Resource: t.ID},
		}, errors.Join(tx.InsertTransaction(ctx, t), d.InsertLink(ctx, tx, cmd.Return))
	})
}

// Planned is the row of a planned transaction.
func Planned(p plan.Plan, d activity.Draft, kind string) (Transaction, rest.NetworkFee, error) {
	fee := feeOfPlan(p)
	feeText, err := signer.Text(fee)
	if err != nil {
		return Transaction{}, fee, err
	}
	preview, err := signer.Text(d.Preview)
	t := Transaction{
		WorkspaceID: d.Owner.WorkspaceID, ID: d.ID, Type: kind, SubOrganizationID: d.Owner.ID, WalletID: p.Wallet.ID,
		From: p.From, To: p.To, Amount: p.Amount, TokenAddress: p.TokenAddress, TokenSymbol: p.TokenSymbol,
		Chain: p.Network.Slug, ChainID: p.Network.ChainID, Body: d.Body, Fingerprint: d.Fingerprint, Preview: preview,
		Fee: feeText, UnsignedTransaction: chain.Hex(p.Tx.Unsigned), Window: p.Window,
		State: Awaiting, CreatedAt: d.Now, UpdatedAt: d.Now, ExpiresAt: d.Expires(),
	}
	if p.Replaced != nil {
		t.Replaces = p.Replaced.ID
	}
	return t, fee, err
}

func feeOfPlan(p plan.Plan) rest.NetworkFee {
	fee := rest.NetworkFee{GasLimit: strconv.FormatUint(p.Tx.Gas, 10), MaxTotalFee: p.MaxFee.String()}
	if !p.Family.Form().Nonces {
		fee.MaxRent = p.RentText()
		return fee
	}
	fee.MaxFeePerGas, fee.MaxPriorityFeePerGas = p.Tx.Fee.Max.String(), "0"
	if p.Tx.Fee.Priority != nil {
		fee.MaxPriorityFeePerGas = p.Tx.Fee.Priority.String()
	}
	return fee
}

// externalNotice is what the caller of prepare is told in plain words.
const externalNotice = "signWith is an address of no wallet: sign unsignedTransaction with its key and confirm with signedTransaction. " +
	"No policy and no approval applies, and no nonce is reserved."

// prepareExternal answers with exact bytes, which are all that will be accepted:
// what is signed outside can have no room for the server.
func (s *Service) prepareExternal(ctx context.Context, cmd *command.Command, p plan.Plan,
	in plan.PrepareTransactionInput,
) (command.Answer, error) {
	if err := s.c.Planner.CheckExternal(ctx, &p, in.Type); err != nil {
		return command.Answer{}, err
	}
	p.MaxFee = p.Tx.MaxFee
	d := activity.Draft{ID: record.NewID(), Owner: activity.Owner{WorkspaceID: cmd.Principal.WorkspaceID},
		Now: s.c.Clock.Now()}
	t, fee, err := Planned(p, d, in.Type)
	if err != nil {
		return command.Answer{}, err
	}
	t.Preview = ""
	view := t.prepared(fee, nil)
	view.Notice = externalNotice
	return s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: "transaction.prepare", Resource: t.ID,
				Detail: map[string]string{"custody": CustodyExternal}},
		}, tx.InsertTransaction(ctx, t)
	})
}

// prepared is the answer of prepare. Without a body there is nothing to stamp.
func (t Transaction) prepared(fee rest.NetworkFee, stamping *activity.Prepared) PreparedTransaction {
	return PreparedTransaction{
		TransactionID: t.ID, UnsignedTransaction: t.UnsignedTransaction, From: t.From, To: t.To, Amount: t.Amount,
		TokenAddress: t.TokenAddress, ChainID: t.ChainID, Network: t.Chain, Status: t.State, Custody: t.custody(),
		Fee: fee, Replaces: t.Replaces,
		CreatedAt: clock.ISO(t.CreatedAt), ExpiresAt: clock.ISO(t.ExpiresAt), Prepared: stamping,
	}
}
