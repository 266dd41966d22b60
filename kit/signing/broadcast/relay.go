package broadcast

import (
	"context"
	"errors"
	"slices"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// The error of raw bytes that no node takes.
var (
	ErrNotAccepted = fault.Define(fault.Unprocessable, "not_accepted", "The network does not accept the transaction",
		"The node refuses the raw bytes: for good, since another transaction used their nonce or their recent block is too "+
			"old, or as things are, since the sender cannot pay for them, they would fail or their fee is too low. "+
			"details.reason has the node's words")

	// refusals are what a node says of the bytes themselves.
	refusals = []error{
		node.ErrRefused, node.ErrNonceUsed, node.ErrNoFunds, node.ErrUnderpriced, node.ErrReverts, node.ErrBlockhash,
	}
)

// RelayRaw sends bytes that somebody else signed. They are checked to be a
// transaction of a network of this environment; who signed them is the network's
// business, and no policy of a wallet applies. The hash is computed from them.
func (s *Service) RelayRaw(
	ctx context.Context, cmd *command.Command, in rest.RawTransactionRequest,
) (command.Answer, error) {
	raw, id, network, err := s.rawTransaction(in)
	if err != nil {
		return command.Answer{}, err
	}
	err = s.c.Nodes.Send(ctx, network.Slug, "", chain.Hex(raw))
	if slices.ContainsFunc(refusals, func(class error) bool { return errors.Is(err, class) }) {
		return command.Answer{}, ErrNotAccepted.Because(err).With("reason", nodes.Words(err))
	}
	if err != nil {
		return command.Answer{}, publicSendError(err)
	}
	view := rest.RawBroadcast{TxHash: id, Status: string(transaction.Broadcast), Network: network.Slug,
		BroadcastedAt: clock.ISO(s.c.Clock.Now())}
	return s.c.Store.Commit(ctx, cmd, func(context.Context, Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view,
			Audit: command.Audit{Action: "transaction.broadcast_raw", Resource: view.TxHash,
				Detail: map[string]string{"network": network.Slug}},
		}, nil
	})
}

// rawTransaction reads the signed bytes, and tells how their network names the transaction.
func (s *Service) rawTransaction(
	in rest.RawTransactionRequest,
) (raw []byte, id string, network chain.Network, err error) {
	raw, err = chain.ParseHex(in.SignedTransaction)
	if err != nil {
		return nil, "", network, fault.Field("signedTransaction", "must be hex of a signed transaction")
	}
	tx, family, err := families.DecodeSigned(raw)
	if err != nil {
		return nil, "", network, fault.Field("signedTransaction",
			"must be a canonical signed "+families.Encodings()+" transaction").Because(err)
	}
	network, ok := s.c.Nodes.Named(family.Kind(), tx.NetworkID)
	switch {
	case !ok:
		unknown := "names a chain that " + chain.Unknown(s.c.Nodes.Networks())
		return nil, "", network, fault.Field("signedTransaction", unknown)
	case in.ChainID != 0 && in.ChainID != network.ChainID:
		return nil, "", network, fault.Field("chainId", "is not that of the transaction")
	case in.Network != "" && in.Network != network.Slug:
		return nil, "", network, fault.Field("network", "is not that of the transaction")
	}
	return raw, family.ID(raw), network, nil
}
