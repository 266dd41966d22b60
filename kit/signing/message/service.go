// Package message signs what is no transaction: texts and EIP-712 typed data. A message has no row of its own and no
// states but those of its activity. Its signature is in the enclave's result, which the answer carries or, where the
// message had to be approved, the approval.
package message

import (
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/link"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// Kinds are the bodies that are messages. What came of one is the enclave's to tell.
func (s *Service) Kinds() []activity.Kind {
	return []activity.Kind{
		{Type: wire.SignMessage, Link: link.Message, Action: "message.sign", Status: 200, Reply: signed},
	}
}

// Service signs messages.
type Service struct {
	wallets *wallet.Service
	changes activity.Changes
}

// New makes a Service.
func New(wallets *wallet.Service, changes activity.Changes) *Service {
	return &Service{wallets, changes}
}
