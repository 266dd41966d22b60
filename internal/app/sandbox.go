package app

import (
	"context"
	"errors"
	"time"

	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/fiat/sandbox/control"
)

// sandbox is the devnet and the sandbox's partner, as far as the server was told of them.
type sandbox struct {
	faucet
	partner *control.Client // nil: there is none
}

func newSandbox(c Config) sandbox {
	s := sandbox{faucet: faucet{devnet.NewClient(c.DevnetURL)}}
	if c.PartnerURL != "" && c.PartnerControlKey != "" {
		s.partner = control.New(c.PartnerURL, c.PartnerControlKey)
	}
	return s
}

var errNoPartner = errors.New("the server was told of no partner of the sandbox, or not the key of its controls")

func (s sandbox) Advance(ctx context.Context, d time.Duration) error {
	if s.partner == nil {
		return errNoPartner
	}
	return s.partner.Advance(ctx, d)
}
