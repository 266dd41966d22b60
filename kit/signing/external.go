package signing

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/command"
)

// Who holds the key of a transaction's sender.
const (
	CustodyEnclave  = "enclave"
	CustodyExternal = "external" // an address of no wallet: its owner signs outside
)

// externalNotice is what the caller of prepare is told in plain words.
const externalNotice = "signWith is an address of no wallet: sign unsignedTransaction with its key and confirm with signedTransaction. " +
	"No policy and no approval applies, and no nonce is reserved."

// leaveAlone is how long the broadcast job waits for the request that stored the
// signed bytes to send them itself.
const leaveAlone = sendTimeout + time.Second

// external says that there is no body, and so nothing that the enclave could sign.
func (t Transaction) external() bool { return t.Fingerprint == "" }

func (t Transaction) custody() string {
	if t.external() {
		return CustodyExternal
	}
	return CustodyEnclave
}

// sender finds the wallet whose address signs. A well-formed address of no
// wallet of anybody signs outside.
func (s *Service) sender(ctx context.Context, workspaceID, signWith string, p *plan) (err error) {
	p.owner, err = s.store.Address(ctx, workspaceID, signWith)
	if errors.Is(err, fault.ErrNotFound) {
		return s.outsider(ctx, signWith, p, err)
	}
	if err != nil {
		return err
	}
	if p.from, err = evm.ParseAddress(p.owner.Address); err != nil {
		return err
	}
	p.wallet, err = s.store.Wallet(ctx, workspaceID, p.owner.WalletID)
	return err
}

// outsider answers for another workspace's address as for anything unknown.
func (s *Service) outsider(ctx context.Context, signWith string, p *plan, missing error) error {
	from, err := evm.ParseAddress(signWith)
	if err != nil {
		return missing
	}
	owned, err := s.store.AddressOwned(ctx, string(chain.EVM), from.String())
	if err != nil {
		return err
	}
	if owned {
		return missing
	}
	p.from, p.external = from, true
	return nil
}

// nextNonce is the number that the transaction would carry now. The enclave
// counts for its own keys from what is mined; whoever signs outside has only the
// node's word for what still waits.
func (p *plan) nextNonce(ctx context.Context, node Node, now Preflight) (err error) {
	p.tx.Nonce = now.MinedNonce
	if !p.external {
		return nil
	}
	if p.tx.Nonce, err = node.PendingNonce(ctx, p.from.String()); err != nil {
		return ErrNode.Because(err)
	}
	return nil
}

// prepareExternal answers with exact bytes, which are all that will be accepted:
// what is signed outside can have no room for the server.
func (s *Service) prepareExternal(ctx context.Context, cmd *command.Command, p plan, in PrepareTransactionInput) (command.Answer, error) {
	if err := s.checkExternal(ctx, p, in.Type); err != nil {
		return command.Answer{}, err
	}
	p.maxFee = p.tx.MaxFee()
	d := draft{id: newID(), sub: SubOrganization{WorkspaceID: cmd.Principal.WorkspaceID}, now: s.clock.Now()}
	t, fee, err := p.transaction(d, in.Type)
	if err != nil {
		return command.Answer{}, err
	}
	t.Preview = ""
	view := t.prepared(fee, nil)
	view.Notice = externalNotice
	return s.store.Commit(ctx, cmd, func(ctx context.Context, tx Tx) (command.Reply, error) {
		return command.Reply{
			Status: 200, Data: view, Audit: command.Audit{Action: "transaction.prepare", Resource: t.ID, Detail: map[string]string{"custody": CustodyExternal}},
		}, tx.InsertTransaction(ctx, t)
	})
}

// checkExternal asks the node what is asked before the enclave signs: whether
// the balance covers the fee too and, of the caller's own bytes, whether they
// would run. Once they are signed outside there is nothing left to refuse.
func (s *Service) checkExternal(ctx context.Context, p plan, kind string) error {
	if p.tx.Nonce > math.MaxInt64 {
		return fault.Field("unsignedTransaction", "has a nonce out of reach")
	}
	node, err := s.node(p.network.Slug)
	if err != nil {
		return err
	}
	exact := kind == ExactBytes // of the others planning has just estimated the gas
	now, err := s.preflight(ctx, p, node, exact && p.calls())
	if err != nil {
		return err
	}
	if exact {
		return p.mineable(now)
	}
	return p.covered(now)
}

// prepared is the answer of prepare. Without a body there is nothing to stamp.
func (t Transaction) prepared(fee Fee, stamping *Prepared) PreparedTransaction {
	return PreparedTransaction{
		TransactionID: t.ID, UnsignedTransaction: t.UnsignedTransaction, From: t.From, To: t.To, Amount: t.Amount,
		TokenAddress: t.TokenAddress, ChainID: t.ChainID, Network: t.Chain, Status: t.State, Custody: t.custody(), Fee: fee, Replaces: t.Replaces,
		CreatedAt: clock.ISO(t.CreatedAt), ExpiresAt: clock.ISO(t.ExpiresAt), Prepared: stamping,
	}
}
