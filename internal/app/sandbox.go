package app

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/kit/payout/sandbox"
)

// sandboxControls is the devnet and the sandbox's partner, as far as the server was told of them.
type sandboxControls struct {
	faucet
	partner *control.Client // nil: there is none
}

func newSandbox(c Config) sandboxControls {
	s := sandboxControls{faucet: faucet{devnet.NewClient(c.DevnetURL)}}
	if c.PartnerURL != "" && c.PartnerControlKey != "" {
		s.partner = control.New(c.PartnerURL, c.PartnerControlKey)
	}
	return s
}

var errNoPartner = errors.New("the server was told of no partner of the sandbox, or not the key of its controls")

func (s sandboxControls) Advance(ctx context.Context, d time.Duration) error {
	if s.partner == nil {
		return errNoPartner
	}
	return s.partner.Advance(ctx, d)
}

// Steer tells the partner what becomes of a transfer.
func (s sandboxControls) Steer(ctx context.Context, transferID string, how sandbox.Steering) error {
	if s.partner == nil {
		return errNoPartner
	}
	why := control.Why{Code: how.Code, Reason: how.Reason}
	switch how.Act {
	case sandbox.SteerFail:
		return told(s.partner.Fail(ctx, transferID, why), "code")
	case sandbox.SteerReturn:
		return told(s.partner.Return(ctx, transferID, why), "code")
	case sandbox.SteerDelay:
		return told(s.partner.Delay(ctx, transferID, how.Delay), "seconds")
	}
	return told(s.partner.Clear(ctx, transferID), "id")
}

// BankDeposit has a depositor's bank pay an account.
func (s sandboxControls) BankDeposit(ctx context.Context, t sandbox.Transfer) (sandbox.Arrival, error) {
	if s.partner == nil {
		return sandbox.Arrival{}, errNoPartner
	}
	d, err := s.partner.Deposit(ctx, control.BankDeposit{
		ID: t.ID, Account: t.AccountID, Amount: t.Amount.String(), SenderName: t.Sender,
	})
	return sandbox.Arrival{DepositID: d.ID, Rail: d.Rail, Trace: d.Trace}, told(err, "senderName")
}

// SteerDeposit tells the partner what becomes of a bank transfer that came in.
func (s sandboxControls) SteerDeposit(ctx context.Context, depositID string, how sandbox.Steering) error {
	if s.partner == nil {
		return errNoPartner
	}
	if how.Act == sandbox.SteerClear {
		return told(s.partner.ReleaseDeposit(ctx, depositID), "code")
	}
	return told(s.partner.ReturnDeposit(ctx, depositID, cmp.Or(how.Reason, how.Code)), "reason")
}

// told is the partner's refusal in our words. field is what a caller can have said wrong.
func told(err error, field string) error {
	var refusal *control.Error
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Code == "wrong_state":
		return sandbox.ErrWrongState
	case refusal.Code == "invalid_parameters":
		return fault.Field(field, "is not one that the bank takes")
	}
	return err
}

// Reorg replaces blocks, as far as there are any.
func (s sandboxControls) Reorg(ctx context.Context, slug string, depth int, drop bool) error {
	err := s.faucet.Reorg(ctx, slug, depth, drop)
	if refusal := (*devnet.Error)(nil); errors.As(err, &refusal) && refusal.Code == devnet.InvalidParams {
		return fault.Field("depth", "is more than the chain has blocks")
	}
	return err
}
