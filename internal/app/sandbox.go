package app

import (
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
		return told(s.partner.Fail(ctx, transferID, why))
	case sandbox.SteerReturn:
		return told(s.partner.Return(ctx, transferID, why))
	case sandbox.SteerDelay:
		return told(s.partner.Delay(ctx, transferID, how.Delay))
	}
	return told(s.partner.Clear(ctx, transferID))
}

// told is the partner's refusal in our words.
func told(err error) error {
	var refusal *control.Error
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Code == "wrong_state":
		return sandbox.ErrWrongState
	case refusal.Code == "invalid_parameters":
		return fault.Field("code", "is not one of the rail's")
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
