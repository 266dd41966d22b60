// Package faucet gives test money, in the sandbox only. Nothing of it is stored but the audit row.
package faucet

import (
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/record"
)

// Service asks the faucet.
type Service struct {
	store record.Writer[Tx]
	nodes *nodes.Set
}

// Tx writes nothing: a payment of the faucet has no row.
type Tx any

// New makes a Service.
func New(w record.Writer[Tx], n *nodes.Set) *Service { return &Service{w, n} }
