package withdraw

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// SetUp answers with the withdrawal address of a bank account for a chain and stablecoin.
// If there is none, the partner creates it.
func (s *Service) SetUp(
	ctx context.Context, cmd *command.Command, in rest.LiquidationAddressRequest,
) (command.Answer, error) {
	return s.provide(ctx, cmd, rest.WithdrawAddressRequest{
		BeneficiaryID: in.BeneficiaryID, BeneficiaryAccountID: in.BeneficiaryAccountID, Chain: in.Chain,
		Currency: in.Currency,
	}, func(_ context.Context, a Address, _ account.Payee) any { return a.Short() })
}

// Create does the same as SetUp with the request and answer of the API's off-ramp calls. If the request names a wallet,
// the answer also has the address as a payee of the wallet's owners.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, in rest.WithdrawAddressRequest,
) (command.Answer, error) {
	if in.PayeeName != "" && in.WalletID == "" {
		return command.Answer{}, fault.Field("payeeName", "must not be given without walletId")
	}
	return s.provide(ctx, cmd, in, func(ctx context.Context, a Address, to account.Payee) any {
		v := a.View(s.c.Clock.Now())
		v.Payee = s.payeeFor(ctx, a, to, in)
		return v
	})
}

// view is an active address, and the bank account that it is for, as an answer shows them. It is called with no
// transaction open.
type view func(context.Context, Address, account.Payee) any

// provide answers with the existing address or has the partner create one.
func (s *Service) provide(
	ctx context.Context, cmd *command.Command, in rest.WithdrawAddressRequest, show view,
) (command.Answer, error) {
	wanted, to, err := s.wanted(ctx, cmd.Principal.WorkspaceID, in)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.maker(wanted, s.naming(cmd, wanted))
	row, made, err := provision.Get(ctx, m, wanted.WorkspaceID, func(
		ctx context.Context, made Address, change func(context.Context, Tx) error,
	) error {
		data := show(ctx, made, to)
		commit := provision.ByCaller(m, cmd, &answer, "Withdrawal address created", func(Address) any { return data })
		return commit(ctx, made, change)
	})
	if err != nil || made {
		return answer, err
	}
	return s.known(ctx, cmd, row, wanted, func() any { return show(ctx, row, to) })
}

// known answers with an address that existed before. It refuses a request that names another wallet for refunds. The
// call that made it may have had the same key: its answer is this one's.
func (s *Service) known(
	ctx context.Context, cmd *command.Command, a, wanted Address, show func() any,
) (command.Answer, error) {
	if err := a.At(s.c.Clock.Now()).returnsTo(wanted.namedWallet()); err != nil {
		return command.Answer{}, err
	}
	if first, found, err := record.Answered(ctx, s.c.Store, cmd); found || err != nil {
		return first, err
	}
	return record.Answer(ctx, s.c.Store, cmd, command.Reply{
		Status: 200, Message: "Withdrawal address exists", Data: show(),
		Audit: command.Audit{Action: "withdraw_address.create", Resource: a.ID},
	})
}

// Ensure does the same as Create in the server's own name, without a command. It names no wallet for refunds.
func (s *Service) Ensure(ctx context.Context, workspaceID string, in rest.WithdrawAddressRequest) error {
	in.WalletID = ""
	wanted, _, err := s.wanted(ctx, workspaceID, in)
	if err != nil {
		return err
	}
	m := s.maker(wanted, nil)
	_, _, err = provision.Get(ctx, m, workspaceID, provision.ByServer(m, workspaceID))
	return err
}

// wanted is the row to insert, and the bank account that it is for, after the checks that the chain and stablecoin are
// supported and that the bank account can be paid. Nothing is written yet.
func (s *Service) wanted(
	ctx context.Context, workspaceID string, in rest.WithdrawAddressRequest,
) (Address, account.Payee, error) {
	token := money.Currency(in.Currency)
	if err := s.c.Pairs.Check(pair.Off, in.Chain, token); err != nil {
		return Address{}, account.Payee{}, err
	}
	to, err := s.c.Accounts.Payee(ctx, workspaceID, in.BeneficiaryID, in.BeneficiaryAccountID)
	if err != nil {
		return Address{}, to, err
	}
	if err := to.Usable(); err != nil {
		return Address{}, to, err
	}
	now := s.c.Clock.Now()
	a := Address{
		WorkspaceID: workspaceID, ID: record.NewID(), RecipientID: to.Recipient.ID, BankAccountID: to.Account.ID,
		Chain: in.Chain, Currency: token, Destination: to.Account.Currency, Rail: to.Account.Rail,
		Provision: provision.New(now), CreatedAt: now, UpdatedAt: now,
	}
	if in.WalletID == "" {
		return a, to, nil
	}
	a.Next.At = now.Add(s.c.Cooling) // the first wallet that is named waits like a later one
	a.Next.WalletID, a.Next.Address, err = s.walletOn(ctx, workspaceID, in.WalletID, in.Chain)
	return a.At(now), to, err
}

// maker is the provision.Maker for the withdrawal address of one bank account, chain and stablecoin. named is called in
// the transaction that inserts the row, unless it is nil.
func (s *Service) maker(wanted Address, named func(context.Context, Tx) error) *provision.Maker[Address, Tx] {
	return &provision.Maker[Address, Tx]{
		In: s.c.Store, Clock: s.c.Clock, Log: s.c.Log,
		Find: func(ctx context.Context) (Address, error) {
			return s.c.Store.WithdrawAddressOf(
				ctx, wanted.WorkspaceID, wanted.BankAccountID, wanted.Chain, wanted.Currency,
			)
		},
		Insert: func(ctx context.Context, tx Tx) (err error) {
			a := wanted
			if named != nil {
				err = named(ctx, tx)
			}
			if err == nil {
				a.Reference, err = reference.New(ctx, tx, reference.OffRamp, a.WorkspaceID, a.ID, a.CreatedAt)
			}
			if err != nil {
				return err
			}
			return tx.InsertWithdrawAddress(ctx, a)
		},
		State: func(a *Address) *provision.Provision { return &a.Provision },
		Take: func(ctx context.Context, tx Tx, a Address, was time.Time) error {
			// The request that inserted the row may have named another wallet for refunds.
			if err := a.At(s.c.Clock.Now()).returnsTo(wanted.namedWallet()); err != nil {
				return err
			}
			return tx.TakeWithdrawAddress(ctx, a, was)
		},
		Leave:  func(ctx context.Context, tx Tx, a Address) error { return tx.LeaveWithdrawAddress(ctx, a) },
		Ask:    s.ask,
		Finish: func(ctx context.Context, tx Tx, a Address) error { return tx.FinishWithdrawAddress(ctx, a) },
		Audit: func(a Address) command.Audit {
			return command.Audit{Action: "withdraw_address.create", Resource: a.ID}
		},
	}
}

// ask has the partner create a wallet and then the withdrawal address, whose deposits go to
// that wallet. It checks that both are on the chain of the request.
func (s *Service) ask(ctx context.Context, a Address) (Address, error) {
	customer, err := s.c.Customers.ID(ctx, a.WorkspaceID)
	if err != nil {
		return a, err
	}
	wallet, err := s.c.Partner.CreateWallet(ctx, walletKey(a.Key), customer, a.Chain)
	if err != nil {
		return a, err
	}
	if wallet.ID == "" || wallet.Chain != a.Chain {
		return a, fmt.Errorf("a wallet on another chain, or none: %w", fiat.ErrAnswer)
	}
	made, err := s.c.Partner.CreateLiquidationAddress(ctx, a.Key, customer, fiat.LiquidationRequest{
		Chain: a.Chain, Currency: a.Currency, WalletID: wallet.ID,
	})
	if err != nil {
		return a, err
	}
	if made.ID == "" || made.Chain != a.Chain || !s.isAddress(a.Chain, made.Address) {
		return a, fmt.Errorf("a withdrawal address on another chain, or none: %w", fiat.ErrAnswer)
	}
	a.Status, a.CustomerID, a.PartnerWalletID = provision.Active, customer, wallet.ID
	a.PartnerID, a.Address = made.ID, made.Address
	a.UpdatedAt = s.c.Clock.Now()
	return a, nil
}

// isAddress tells whether somebody can have the key of an address on a chain: it is spelled as those of the chain's
// family are, and is no token or program.
func (s *Service) isAddress(slug, text string) bool {
	network, _ := chain.BySlug(s.c.Pairs.Environment, slug)
	family, known := families.Of(network.Kind)
	if !known {
		return false
	}
	canonical, err := family.ParseAddress(text)
	_, token := network.TokenByAddress(canonical)
	return err == nil && !token && family.CheckPayee(canonical) == nil
}

// walletKey is the idempotency key of the call that creates the address's wallet, derived from
// the address's own key. A retry with the same address key gets the same wallet; a new address
// key gets a new wallet, because the partner refuses a second address for one wallet.
func walletKey(addressKey string) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(addressKey+":wallet")).String()
}

// Sweep finishes addresses whose requests died or failed before the partner had answered.
func (s *Service) Sweep(ctx context.Context) error {
	rows, err := s.c.Store.WaitingWithdrawAddresses(ctx, s.c.Clock.Now().Add(-provision.Lease), record.SlowBatch)
	if err != nil {
		return err
	}
	return record.Each(rows, func(a Address) error {
		a.WalletID, a.Next = "", ReturnChange{} // the return address may have changed since: do not compare it
		m := s.maker(a, nil)
		_, _, err := provision.Get(ctx, m, a.WorkspaceID, provision.ByServer(m, a.WorkspaceID))
		return provision.IgnoreAsked(err)
	})
}
