package lending

import (
	"context"
	"errors"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
)

// Status is a transaction of lending as the node of its network sees it now.
func (s *Service) Status(ctx context.Context, by auth.Principal, id string) (v rest.LendingStatus, err error) {
	t, err := s.c.Store.Transaction(ctx, by.WorkspaceID, id)
	if err != nil && !errors.Is(err, fault.ErrNotFound) {
		return v, err
	}
	if err != nil || !s.lends(t) {
		return v, ErrNotLending
	}
	v = rest.LendingStatus{TransactionID: t.ID, Status: string(t.State), TransactionHash: t.TxHash}
	if t.TxHash == "" {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(ctx, nodes.AskTimeout)
	defer cancel()
	n, err := s.c.Nodes.Node(t.Chain)
	if err != nil {
		return v, err
	}
	receipt, mined, err := n.Receipt(ctx, t.TxHash)
	if err != nil {
		return v, nodes.ErrNode.Because(err)
	}
	if !mined {
		return v, nil
	}
	head, err := n.Head(ctx)
	if err != nil {
		return v, nodes.ErrNode.Because(err)
	}
	v.BlockNumber = strconv.FormatInt(receipt.BlockNumber, 10)
	v.Confirmations = max(head-receipt.BlockNumber+1, 0)
	return v, nil
}

// lends reads in the transaction's own bytes whether it goes to a pool or its gateway, or lets one take a token.
func (s *Service) lends(t transaction.Transaction) bool {
	network, known := s.c.Nodes.BySlug(t.Chain)
	family, ok := s.c.Nodes.Family(t.Chain)
	raw, err := chain.ParseHex(t.UnsignedTransaction)
	if !known || !ok || err != nil {
		return false
	}
	tx, err := family.DecodeUnsigned(raw)
	if err != nil {
		return false
	}
	if _, _, listed := chain.LendingPoolAt(network, tx.To); listed {
		return true
	}
	for _, e := range family.Effects(network, t.From, tx.Call) {
		if _, _, listed := chain.LendingPoolAt(network, e.Spender); listed && e.Kind == chain.Approve {
			return true
		}
	}
	return false
}
