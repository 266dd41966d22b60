package depositaccount

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/kit/payout/reference"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/rest"
)

// Create answers with the deposit account of a wallet and a pair of currencies. If there is none, the partner creates
// it. The second form of the request is answered in the envelope.
func (s *Service) Create(
	ctx context.Context, cmd *command.Command, in rest.DepositAccountRequest,
) (command.Answer, error) {
	q, err := read(in)
	if err != nil {
		return command.Answer{}, err
	}
	wanted, err := s.wanted(ctx, cmd.Principal.WorkspaceID, q)
	if err != nil {
		return command.Answer{}, err
	}
	var answer command.Answer
	m := s.maker(wanted)
	row, made, err := provision.Get(ctx, m, wanted.WorkspaceID, func(
		ctx context.Context, made Account, change func(context.Context, Tx) error,
	) (err error) {
		reply, err := s.reply(ctx, made, q, 201)
		if err != nil {
			return err
		}
		answer, err = s.c.Store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
			return reply, change(ctx, tx)
		})
		return err
	})
	if errors.Is(err, fault.ErrNotFound) { // the partner refused it to another request, which dropped it
		err = fiat.ErrLater.After(time.Second).Because(err)
	} else if errors.Is(err, fiat.ErrLater) {
		return s.pending(ctx, cmd, q, wanted, err)
	}
	if err != nil || made {
		return answer, err
	}
	if err := s.sameDestination(ctx, row, q, wanted); err != nil {
		return command.Answer{}, err
	}
	reply, err := s.reply(ctx, row, q, 200)
	if err != nil {
		return command.Answer{}, err
	}
	return record.Answer(ctx, s.c.Store, cmd, reply)
}

// pending answers while the partner is slow: with the account as it is, which has no number to give away. The sweeper
// has the partner create it, and the same request, or a read of the account, then has the number.
func (s *Service) pending(
	ctx context.Context, cmd *command.Command, q request, wanted Account, slow error,
) (command.Answer, error) {
	row, err := s.c.Store.DepositAccountOf(ctx, wanted.WorkspaceID, wanted.WalletID, wanted.Source, wanted.Destination)
	if errors.Is(err, fault.ErrNotFound) {
		err = slow
	}
	if err == nil {
		err = s.sameDestination(ctx, row, q, wanted)
	}
	if err != nil {
		return command.Answer{}, err
	}
	reply, err := s.reply(ctx, row, q, 201)
	if err != nil {
		return command.Answer{}, err
	}
	return record.Answer(ctx, s.c.Store, cmd, reply)
}

// reply shows an account in the form that the request has.
func (s *Service) reply(ctx context.Context, a Account, q request, status int) (command.Reply, error) {
	r := command.Reply{
		Status: status, Message: "Deposit account exists",
		Audit: command.Audit{Action: "deposit_account.create", Resource: a.ID},
	}
	if status == 201 {
		r.Message = "Deposit account created"
	}
	v, err := s.View(ctx, a)
	if err != nil {
		return r, err
	}
	if r.Bare = !q.second; r.Bare {
		r.Data = v
		return r, nil
	}
	number := rest.DepositAccountNumber{DepositAccount: v}
	if v.SourceDepositInstructions != nil {
		number.CLABE = v.SourceDepositInstructions.CLABE
	}
	r.Data = number
	return r, nil
}

// request is what either form of the request says.
type request struct {
	second          bool
	wallet, address string // one of them is empty
	from, to        money.Currency
	chain           string
}

// read reads a request, and refuses one that mixes both forms.
func read(in rest.DepositAccountRequest) (request, error) {
	second := firstGiven(
		given{"currency", in.Currency}, given{"country", in.Country}, given{"stablecoin", in.Stablecoin},
		given{"destinationAddress", in.DestinationAddress},
	)
	first := firstGiven(
		given{"wallet_id", in.WalletID}, given{"source_currency", in.SourceCurrency},
		given{"destination_currency", in.DestinationCurrency},
	)
	switch {
	case second != "" && first != "":
		return request{}, fault.Field(second, "must not be given with "+first)
	case second != "":
		return readSecond(in)
	case in.WalletID == "":
		return request{}, fault.Field("wallet_id", "is required")
	case in.SourceCurrency == "":
		return request{}, fault.Field("source_currency", "is required")
	}
	q := request{
		wallet: in.WalletID, chain: in.Chain, from: money.Currency(in.SourceCurrency), to: money.USDC,
	}
	if in.DestinationCurrency != "" {
		q.to = money.Currency(in.DestinationCurrency)
	}
	return q, nil
}

// given is a field of a request.
type given struct{ name, value string }

// firstGiven is the name of the first field that has a value.
func firstGiven(fields ...given) string {
	for _, f := range fields {
		if f.value != "" {
			return f.name
		}
	}
	return ""
}

func readSecond(in rest.DepositAccountRequest) (request, error) {
	q := request{
		second: true, address: in.DestinationAddress, chain: in.Chain,
		from: money.Currency(strings.ToLower(in.Currency)), to: money.USDC,
	}
	if in.Stablecoin != "" {
		q.to = money.Currency(strings.ToLower(in.Stablecoin))
	}
	switch {
	case in.Currency == "":
		return q, fault.Field("currency", "is required")
	case in.DestinationAddress == "":
		return q, fault.Field("destinationAddress", "is required")
	case in.Country == "":
		return q, nil
	}
	country, err := bank.Country("country", in.Country)
	if home := bank.HomeOf(q.from, fiat.Details{}); err == nil && home != "" && home != country {
		err = fault.Field("country", "must be "+home+" with the currency "+string(q.from))
	}
	return q, err
}

// wanted is the row to insert, after the checks that the chain and stablecoin are supported and that the signer made
// the address. Nothing is written yet. Of an account that is there, it has the chain.
func (s *Service) wanted(ctx context.Context, workspaceID string, q request) (Account, error) {
	wallet := q.wallet
	if q.second {
		var err error
		if wallet, err = s.c.Wallets.With(ctx, workspaceID, q.address); err != nil {
			return Account{}, err
		}
	}
	if q.chain != "" {
		if err := s.c.Pairs.Check(pair.On, q.chain, q.to); err != nil {
			return Account{}, err
		}
	}
	at, err := s.place(ctx, workspaceID, wallet, q)
	if err != nil {
		return Account{}, err
	}
	if err := s.c.Pairs.Check(pair.On, at.Chain, q.to); err != nil {
		return Account{}, err
	}
	now, fees := s.c.Clock.Now(), s.c.Limits[q.from].Fees
	return Account{
		WorkspaceID: workspaceID, ID: uuid.NewString(), WalletID: at.WalletID, Source: q.from, Destination: q.to,
		Chain: at.Chain, Address: at.Address, FeePoints: fees.Network + fees.Platform,
		Provision: provision.New(now), Version: 1, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// place is where the coins go. Where the request names no chain it is that of the account that is there, else the
// wallet's own.
func (s *Service) place(ctx context.Context, workspaceID, wallet string, q request) (Place, error) {
	at, err := s.proved(ctx, workspaceID, wallet, q.chain, q.address)
	if err == nil && q.chain == "" {
		known, failed := s.c.Store.DepositAccountOf(ctx, workspaceID, at.WalletID, q.from, q.to)
		switch {
		case failed == nil && q.address == "":
			at, err = Place{known.WalletID, known.Chain, known.Address}, s.CheckPlace(ctx, known)
		case failed == nil:
			at, err = s.proved(ctx, workspaceID, wallet, known.Chain, q.address)
		case !errors.Is(failed, fault.ErrNotFound):
			err = failed
		}
	}
	switch {
	case err != nil:
	case at.Chain == "":
		err = fault.Field("chain", "is required: the wallet has none of its own")
	case at.Address == "" && q.second:
		err = fault.Field("destinationAddress", "must be an address on the chain")
	case at.Address == "":
		err = fault.Field("wallet_id", "must be a wallet with an address on the chain: "+
			"POST /v1/signing/wallets/accounts/prepare makes one")
	}
	return at, err
}

// proved is a wallet's address, which the signer made for it. One that it did not make is told to the log.
func (s *Service) proved(ctx context.Context, workspaceID, wallet, chain, address string) (Place, error) {
	at, err := s.c.Wallets.Proved(ctx, workspaceID, wallet, chain, address)
	if errors.Is(err, ErrUnproved) {
		s.c.Log.ErrorContext(ctx, "a wallet's address is not the one that the signer made: somebody changed a row",
			"workspace", workspaceID, "wallet", wallet, "address", address, "chain", chain, "error", err)
	}
	return at, err
}

// sameDestination refuses a request for another chain or address than those of the account that is there.
func (s *Service) sameDestination(ctx context.Context, a Account, q request, wanted Account) error {
	if err := s.CheckPlace(ctx, a); err != nil {
		return err
	}
	if q.chain != "" && a.Chain != q.chain || !sameAddress(a.Address, wanted.Address) {
		return ErrOtherPlace
	}
	return nil
}

func sameAddress(a, b string) bool { return families.Lookup(a) == families.Lookup(b) }

// maker is the provision.Maker for the account of one wallet and pair of currencies.
func (s *Service) maker(wanted Account) *provision.Maker[Account, Tx] {
	return &provision.Maker[Account, Tx]{
		In: s.c.Store, Clock: s.c.Clock, Log: s.c.Log,
		Find: func(ctx context.Context) (Account, error) {
			return s.c.Store.DepositAccountOf(
				ctx, wanted.WorkspaceID, wanted.WalletID, wanted.Source, wanted.Destination,
			)
		},
		Insert: func(ctx context.Context, tx Tx) (err error) {
			a := wanted
			if a.Reference, err = reference.New(
				ctx, tx, reference.OnRamp, a.WorkspaceID, a.ID, a.CreatedAt,
			); err != nil {
				return err
			}
			return tx.InsertDepositAccount(ctx, a)
		},
		State: func(a *Account) *provision.Provision { return &a.Provision },
		Take: func(ctx context.Context, tx Tx, a Account, was time.Time) error {
			// The request that inserted the row may have named another chain.
			if a.Chain != wanted.Chain || !sameAddress(a.Address, wanted.Address) {
				return ErrOtherPlace
			}
			return tx.TakeDepositAccount(ctx, a, was)
		},
		Leave:  func(ctx context.Context, tx Tx, a Account) error { return tx.LeaveDepositAccount(ctx, a) },
		Ask:    s.ask,
		Finish: func(ctx context.Context, tx Tx, a Account) error { return tx.FinishDepositAccount(ctx, a) },
		Audit: func(a Account) command.Audit {
			return command.Audit{Action: "deposit_account.create", Resource: a.ID}
		},
	}
}

// ask has the partner create the account. It first checks again that the signer made the row's address: the row may
// be older than the request, and somebody may have changed it.
func (s *Service) ask(ctx context.Context, a Account) (Account, error) {
	if err := s.CheckPlace(ctx, a); err != nil {
		return a, err
	}
	customer, err := s.c.Customers.ID(ctx, a.WorkspaceID)
	if err != nil {
		return a, err
	}
	made, err := s.c.Partner.CreateVirtualAccount(ctx, a.Key, customer, fiat.VirtualAccountRequest{
		Source: a.Source, Chain: a.Chain, Currency: a.Destination, Address: a.Address, FeePoints: a.FeePoints,
	})
	if errors.Is(err, fiat.ErrRefused) { // another request may be for another chain, which the partner may have
		err = errors.Join(err, record.Do(ctx, s.c.Store, a.WorkspaceID, func(ctx context.Context, tx Tx) error {
			return tx.DropDepositAccount(ctx, a)
		}))
	}
	if err != nil {
		return a, err
	}
	if err := a.agrees(made); err != nil {
		return a, err
	}
	other, err := s.c.Store.DepositAccountByPartner(ctx, made.ID)
	if err == nil && other.ID != a.ID {
		return a, fmt.Errorf("the virtual account of another deposit account: %w", fiat.ErrAnswer)
	}
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return a, err
	}
	a.Status, a.CustomerID, a.PartnerID, a.Deactivated = provision.Active, customer, made.ID, !made.Active
	a.UpdatedAt = s.c.Clock.Now()
	return a, s.seal(&a, made.Instructions)
}

// CheckPlace fails with ErrUnproved unless the signer made the account's address for its wallet, and tells the log.
func (s *Service) CheckPlace(ctx context.Context, a Account) error {
	at, err := s.proved(ctx, a.WorkspaceID, a.WalletID, a.Chain, a.Address)
	if err == nil && !sameAddress(at.Address, a.Address) {
		s.c.Log.ErrorContext(ctx,
			"a deposit account leads to an address that its wallet does not have: somebody changed a row",
			"workspace", a.WorkspaceID, "account", a.ID, "address", a.Address)
		err = ErrUnproved
	}
	return err
}

// agrees holds the partner's answer against the row: no coins go elsewhere than the row says, and no number is given
// out that its own checksum refuses.
func (a Account) agrees(made fiat.VirtualAccount) error {
	switch {
	case made.ID == "" || a.PartnerID != "" && made.ID != a.PartnerID:
		return fmt.Errorf("another virtual account than was asked for, or none: %w", fiat.ErrAnswer)
	case made.Chain != a.Chain || made.Currency != a.Destination || !sameAddress(made.Address, a.Address):
		return fmt.Errorf("a virtual account whose coins go elsewhere: %w", fiat.ErrAnswer)
	case made.FeePoints != a.FeePoints:
		return fmt.Errorf("a virtual account with another fee: %w", fiat.ErrAnswer)
	case made.Instructions.Currency == "":
		return nil // not told yet
	case made.Instructions.Currency != a.Source:
		return fmt.Errorf("a virtual account for another currency: %w", fiat.ErrAnswer)
	}
	if err := bank.CheckNumbers(a.Source, made.Instructions.Details); err != nil {
		return fmt.Errorf("a virtual account whose number is none, %v: %w", err, fiat.ErrAnswer)
	}
	return nil
}

// Sweep finishes accounts whose requests died or failed before the partner had answered, and tells the partner which
// accounts to switch.
func (s *Service) Sweep(ctx context.Context) error {
	if s.c.Partner == nil {
		return nil
	}
	rows, err := s.c.Store.WaitingDepositAccounts(ctx, s.c.Clock.Now().Add(-provision.Lease), record.SlowBatch)
	if err != nil {
		return err
	}
	return errors.Join(record.Each(rows, func(a Account) error {
		m := s.maker(a)
		_, _, err := provision.Get(ctx, m, a.WorkspaceID, provision.ByServer(m, a.WorkspaceID))
		return provision.IgnoreAsked(err)
	}), s.sweepSwitches(ctx))
}
