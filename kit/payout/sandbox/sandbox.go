// Package sandbox serves the API calls that only a sandbox has: they make deposits, bank transfers and blocks,
// replace blocks, let time pass at the partner, and have a payment fail, return or take longer.
// The package stores nothing but a line in the audit record. The rest of the kit learns of
// the changes as in production: from the chain and from the partner.
package sandbox

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/virtual"
	"github.com/railkit/railkit/kit/payout/withdraw"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// ErrUnreachable says that the sandbox's chain or partner does not answer.
var ErrUnreachable = fault.Define(fault.Upstream, "sandbox_unreachable",
	"The sandbox's chain or partner does not answer",
	"Only below `/v1/sandbox/`: the devnet or the sandbox's partner does not run, or took too long. `railkit doctor` says which")

// Box controls the sandbox's chain and partner.
type Box interface {
	// Fund sends test tokens to an address.
	Fund(ctx context.Context, once, slug, address, asset, amount string) (txHash string, err error)
	// Mine adds blocks to a chain.
	Mine(ctx context.Context, slug string, blocks int) error
	// Reorg replaces the newest depth blocks of a chain. Their transactions are mined again, or lost if drop is true.
	Reorg(ctx context.Context, slug string, depth int, drop bool) error
	// Advance lets time pass at the partner.
	Advance(ctx context.Context, d time.Duration) error
	// BankDeposit has a bank transfer arrive at an account of the partner's.
	BankDeposit(ctx context.Context, t Transfer) (Arrival, error)
	// Steer has the partner carry out an act on a payment.
	Steer(ctx context.Context, transferID string, how Steering) error
	// SteerDeposit has the partner carry out an act on a bank transfer that came in: SteerReturn or SteerClear.
	SteerDeposit(ctx context.Context, depositID string, how Steering) error
}

// Store reads the addresses, accounts and orders that calls name, and writes the audit record.
type Store interface {
	record.Writer[Tx]
	WithdrawAddress(ctx context.Context, workspaceID, id string) (withdraw.Address, error)
	VirtualAccount(ctx context.Context, workspaceID, id string) (virtual.Account, error)
	VirtualAccountNumbered(ctx context.Context, workspaceID, clabe string) (virtual.Account, error)
	Order(ctx context.Context, workspaceID, idOrReference string) (order.Order, error)
}

// Tx has no methods: the commit itself writes the line in the audit record.
type Tx interface{}

// Service carries out the sandbox calls.
type Service struct {
	store    Store
	deposits Deposits
}

// New makes a Service.
func New(s Store, d Deposits) *Service { return &Service{s, d} }

// sandboxFault is err itself if the request was wrong, and ErrUnreachable for any other error.
func sandboxFault(err error) error {
	var mistake *fault.Error
	if errors.As(err, &mistake) {
		return mistake
	}
	return ErrUnreachable.Because(err)
}

// Deposit sends test tokens to an address, as a customer would.
func (s *Service) Deposit(
	ctx context.Context, cmd *command.Command, box Box, in rest.SimulatedDepositRequest,
) (command.Answer, error) {
	in, err := s.depositTo(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	n, family, err := sandboxChain(in.Chain)
	if err != nil {
		return command.Answer{}, err
	}
	token, ok := n.TokenBySymbol(in.Currency)
	if !ok {
		return command.Answer{}, fault.Field("currency", "is not on this chain: there are "+n.Symbols())
	}
	to, err := family.ParseAddress(in.Address)
	if err != nil {
		return command.Answer{}, fault.Field("address", "must be an address ("+family.Form().Typed+")")
	}
	if err := family.CheckPayee(to); err != nil {
		return command.Answer{}, fault.Field("address", err.Error())
	}
	amount, err := money.Parse(in.Amount, money.Currency(in.Currency))
	if err != nil || amount.Minor <= 0 {
		return command.Answer{}, fault.Field("amount", "must be a decimal above zero with at most six places")
	}
	in.Address, in.Amount = to, amount.String()
	hash, err := box.Fund(ctx, cmd.Once(), n.Slug, in.Address, token.Symbol, in.Amount)
	if err != nil {
		return command.Answer{}, sandboxFault(err)
	}
	return s.done(ctx, cmd, "sandbox.deposit", in.Address, rest.SimulatedDeposit{
		TxHash: hash, SimulatedDepositRequest: in,
	})
}

// depositTo fills in the chain, address and currency of the withdrawal address that the request names by its id.
func (s *Service) depositTo(
	ctx context.Context, workspaceID string, in rest.SimulatedDepositRequest,
) (rest.SimulatedDepositRequest, error) {
	switch {
	case in.WithdrawAddressID == "":
		return in, nil
	case in.Address != "" || in.Chain != "":
		return in, fault.Field("withdrawAddressId", "stands in place of chain and address")
	}
	a, err := s.store.WithdrawAddress(ctx, workspaceID, in.WithdrawAddressID)
	if err == nil && a.Address == "" {
		err = fault.Field("withdrawAddressId", "is still being made")
	}
	in.Chain, in.Address, in.Currency = a.Chain, a.Address, string(a.Currency)
	return in, err
}

func sandboxChain(slug string) (chain.Network, chain.Family, error) {
	n, _ := chain.BySlug(chain.Sandbox, slug)
	family, ok := families.Of(n.Kind)
	if !ok {
		return n, nil, fault.Field("chain", chain.Unknown(chain.Networks(chain.Sandbox)))
	}
	return n, family, nil
}

// done writes the audit line after the sandbox has acted. If the server dies between the two,
// the client gets no answer, and its repeated request acts a second time. A bank transfer does not: see transferID.
func (s *Service) done(
	ctx context.Context, cmd *command.Command, action, resource string, view any,
) (command.Answer, error) {
	return s.store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{Status: 200, Data: view, Audit: command.Audit{Action: action, Resource: resource}}, nil
	})
}

// Advance lets time pass at the sandbox's partner. Payments, returns and reviews that would end
// within that time have ended when the call answers.
func (s *Service) Advance(
	ctx context.Context, cmd *command.Command, box Box, in rest.SandboxTime,
) (command.Answer, error) {
	if err := box.Advance(ctx, time.Duration(in.Seconds)*time.Second); err != nil {
		return command.Answer{}, sandboxFault(err)
	}
	return s.done(ctx, cmd, "sandbox.advance", "partner", in)
}

// Mine adds blocks to a chain, so that earlier deposits get more confirmations.
func (s *Service) Mine(
	ctx context.Context, cmd *command.Command, box Box, in rest.SandboxBlocks,
) (command.Answer, error) {
	n, _, err := sandboxChain(in.Chain)
	if err != nil {
		return command.Answer{}, err
	}
	if err := box.Mine(ctx, n.Slug, in.Blocks); err != nil {
		return command.Answer{}, sandboxFault(err)
	}
	return s.done(ctx, cmd, "sandbox.mine", n.Slug, in)
}

// Reorg replaces the newest blocks of a chain by other ones.
func (s *Service) Reorg(
	ctx context.Context, cmd *command.Command, box Box, in rest.SandboxReorg,
) (command.Answer, error) {
	n, _, err := sandboxChain(in.Chain)
	if err != nil {
		return command.Answer{}, err
	}
	if n.Kind != chain.EVM {
		return command.Answer{}, fault.Field("chain", "must not be "+n.Slug+": what is final there never goes back")
	}
	if err := box.Reorg(ctx, n.Slug, in.Depth, in.Drop); err != nil {
		return command.Answer{}, sandboxFault(err)
	}
	return s.done(ctx, cmd, "sandbox.reorg", n.Slug, in)
}
