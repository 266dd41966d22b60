package node

import (
	"context"
	"errors"
)

// ErrDisagree says that nodes of one network answer the same question with different things: one of them lies, or is
// behind.
var ErrDisagree = errors.New("the nodes contradict each other")

// Fact is one thing that a network says of a token's issuer: {"mint authority", "9B5X…"}.
type Fact struct{ Name, Value string }

// Issuing is a Client of a family whose tokens can be given to another issuer.
type Issuing interface {
	// Issuer is what the nodes of the network say of who issues a token, in one order: who makes tokens, who freezes
	// accounts, which program keeps them. How many there are is none of it. Whole tells whether every node answered.
	// ErrDisagree where two say different things. It is not trusted: nodes that lie alike hide a change.
	Issuer(ctx context.Context, token string) (facts []Fact, whole bool, err error)
}
