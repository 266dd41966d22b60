package nodes

import (
	"errors"
	"strings"

	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/text"
)

// Errors of calls that need a node: there is none, it does not answer, or it says that the transaction would fail.
var (
	ErrNoNode = fault.DefineRefusal(fault.Unavailable, "no_node", "No node is configured for this network",
		"The operator runs no node for the network")
	ErrNode = fault.DefineRefusal(fault.Upstream, "node_unreachable", "The network's node does not answer",
		"The node is down or slow; nothing was signed; retry with back-off")
	ErrWouldFail = fault.Define(fault.Unprocessable, "would_fail", "The transaction would fail on chain",
		"The node says that the call reverts; details.reason has its words. Nothing was signed")
)

// LowFee is the reason of a transaction that pays less than the network asks.
const LowFee = "its fee is below what the network asks"

// Words is why a node refuses a transaction, for who asked about it: the node's own words where it has any that can be
// shown, such as "execution reverted: transfer amount exceeds balance".
func Words(err error) string {
	var said *node.Refusal
	if !errors.As(err, &said) {
		return Reason(err)
	}
	words := strings.Join(strings.FieldsFunc(said.Words, func(r rune) bool {
		return r == ' ' || !text.Visible(string(r))
	}), " ")
	if words == "" {
		return Reason(err)
	}
	return words
}

// Reason is what is kept of a failed try. A node's own words stay in the log.
func Reason(err error) string {
	switch {
	case errors.Is(err, node.ErrRefused):
		return "the node refuses the transaction"
	case errors.Is(err, node.ErrReverts):
		return "the network says that it would fail"
	case errors.Is(err, node.ErrNonceUsed):
		return "another transaction used the nonce"
	case errors.Is(err, node.ErrUnderpriced):
		return LowFee
	case errors.Is(err, node.ErrBlockhash):
		return "the node does not know the recent block that it names"
	case errors.Is(err, node.ErrPayee):
		return "the payee cannot be paid"
	case errors.Is(err, node.ErrNoFunds):
		return "the address cannot pay for it now"
	}
	return "the node does not answer"
}
