package decide

import (
	"cmp"
	"math/big"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// intent is a SignIntent's parameters, understood.
type intent struct {
	chain.Intent
	account account
	network chain.Network
	maxFee  *big.Int // in total
	place   *place   // of the transaction that it replaces, if any
}

func (c call) readIntent(p *wire.SignIntentParams) (i intent, err error) {
	if i.account, err = c.org.account(p.SignWith); err != nil {
		return i, err
	}
	if i.network, err = c.networkOf(i.account, p.Chain, p.ChainID); err != nil {
		return i, err
	}
	i.From = i.account.Address
	if i.To, err = i.account.family.ParseAddress(p.To); err != nil {
		return i, refusal.ErrBody.Msg("to is not an address")
	}
	var ok bool
	if i.Value, ok = wei(p.Value); !ok {
		return i, refusal.ErrBody.Msg("value is not a decimal amount of wei")
	}
	if i.Data, ok = bytesOf(p.Data); !ok {
		return i, refusal.ErrBody.Msg("data is not 0x-prefixed hex")
	}
	if i.Gas, ok = number(p.GasLimit); !ok || i.Gas == 0 || i.Gas > i.account.family.MaxGas() {
		return i, refusal.ErrBody.Msg("gasLimit is not a sensible amount of gas")
	}
	if i.maxFee, ok = wei(p.MaxTotalFee); !ok {
		return i, refusal.ErrBody.Msg("maxTotalFee is not a decimal amount of wei")
	}
	if i.place, err = readPlace(p.Replaces); err != nil {
		return i, err
	}
	return i, i.checkTransfer(p.Transfer)
}

// checkTransfer holds the words of a body against its calldata: who reads the
// body must not be told another recipient or amount than the chain.
func (i intent) checkTransfer(t *wire.TransferParams) error {
	if t == nil {
		return nil
	}
	effects := i.effects()
	if len(effects) != 1 {
		return refusal.ErrBody.Msg("transfer does not describe the calldata")
	}
	e := effects[0]
	if e.Kind != chain.Transfer || e.Asset != t.Token || e.To != t.To || e.Amount != t.Amount ||
		e.From != i.From {
		return refusal.ErrBody.Msg("transfer does not describe the calldata")
	}
	return nil
}

func (i intent) effects() []chain.Effect {
	return i.account.family.Effects(i.network, i.From, i.Call)
}

// assemble makes the transaction out of what was stamped and what the host adds.
func (i intent) assemble(nonce uint64, v wire.Volatile) (chain.Tx, error) {
	feeCap, ok := wei(v.MaxFeePerGas)
	tip, tipOK := wei(v.MaxPriorityFeePerGas)
	if !ok || !tipOK || tip.Cmp(feeCap) > 0 {
		return chain.Tx{}, refusal.ErrBody.Msg("the host's fee is not valid")
	}
	tx, err := i.account.family.Assemble(i.network, i.Intent, nonce, chain.Fee{Max: feeCap, Priority: tip})
	if err != nil {
		return chain.Tx{}, refusal.ErrBody.Msg("the transaction is not valid").Because(err)
	}
	if tx.MaxFee.Cmp(i.maxFee) > 0 {
		return chain.Tx{}, refusal.ErrFee
	}
	return tx, nil
}

func signIntent(c call, p *wire.SignIntentParams) (Event, error) {
	i, err := c.readIntent(p)
	if err != nil {
		return Event{}, err
	}
	return c.sign(i.signing(), func() (Event, error) {
		return c.orderIntent(i, c.sub.Volatile)
	})
}

func (i intent) signing() signing {
	return signing{account: i.account,
		Signing:   policy.Signing{Network: i.network, Effects: i.effects(), MaxFee: i.maxFee},
		dataBytes: i.account.family.MaxDataBytes(i.network, i.Intent, i.maxFee)}
}

func (s *State) orderIntent(i intent, v wire.Volatile) (Event, error) {
	floor, ok := number(v.NonceFloor)
	if !ok {
		return Event{}, refusal.ErrBody.Msg("the host's nonce floor is not a number")
	}
	nonce, err := s.nonceOf(i, floor, s.AcceptNonces)
	if err != nil {
		return Event{}, err
	}
	tx, err := i.assemble(nonce, v)
	if err != nil {
		return Event{}, err
	}
	return order(i.account, i.network, tx), nil
}

func order(a account, n chain.Network, tx chain.Tx) Event {
	return Event{Kind: EventTransaction, Transaction: &Order{
		SignWith: a.Address, WalletID: a.WalletID, Path: a.Path, Kind: n.Kind, Chain: n.Slug, ChainID: n.ChainID,
		Nonce: tx.Nonce, Unsigned: tx.Unsigned,
	}}
}

// exact is a SignTransaction's parameters, understood.
type exact struct {
	account account
	network chain.Network
	tx      chain.Tx
}

func (c call) readExact(p *wire.SignTransactionParams) (x exact, err error) {
	if _, known := families.OfType(p.Type); !known {
		return x, refusal.ErrBody.Msg("type is not " + families.Types())
	}
	if x.account, err = c.org.account(p.SignWith); err != nil {
		return x, err
	}
	if p.Type != x.account.family.TransactionType() {
		return x, refusal.ErrBody.Msg("type is not that of signWith")
	}
	raw, ok := bytesOf(p.UnsignedTransaction)
	if !ok {
		return x, refusal.ErrBody.Msg("unsignedTransaction is not 0x-prefixed hex")
	}
	if x.tx, err = x.account.family.DecodeUnsigned(raw); err != nil {
		return x, refusal.ErrBody.Msg(
			"unsignedTransaction is not a canonical transaction that is signed here").Because(err)
	}
	x.network, ok = chain.WithID(c.Networks, x.account.family.Kind(), x.tx.NetworkID)
	if !ok || p.ChainID != x.tx.NetworkID {
		return x, refusal.ErrBody.Msg("chainId is not that of the transaction, or of no network of this environment")
	}
	return x, nil
}

func signExact(c call, p *wire.SignTransactionParams) (Event, error) {
	x, err := c.readExact(p)
	if err != nil {
		return Event{}, err
	}
	if c.holder(x.key(), x.tx.Nonce) != "" {
		return Event{}, refusal.ErrNonceTaken
	}
	return c.sign(x.signing(), func() (Event, error) {
		return order(x.account, x.network, x.tx), c.isNext(x, c.sub.Volatile, c.AcceptNonces)
	})
}

// isNext holds exact bytes to the next free nonce. Were nonce 65535 signed today,
// the host could say tomorrow that the node had mined it: the next payment would
// get 65536 and wait behind a gap, while its owner pays again.
func (b *nonceBook) isNext(x exact, v wire.Volatile, believed bool) error {
	floor, ok := number(cmp.Or(v.NonceFloor, "0"))
	if !ok {
		return refusal.ErrBody.Msg("the host's nonce floor is not a number")
	}
	next, err := b.next(x.key(), floor, believed)
	switch {
	case err != nil:
		return err
	case x.tx.Nonce < next:
		return refusal.ErrNonceTaken
	case x.tx.Nonce > next:
		return refusal.ErrNonceNotNext.Msg(next)
	}
	return nil
}

func (x exact) key() nonceKey { return nonceKey{x.network.Slug, x.account.Address} }

func (x exact) signing() signing {
	return signing{account: x.account, dataBytes: x.tx.DataBytes, Signing: policy.Signing{
		Network: x.network, Effects: x.account.family.Effects(x.network, x.account.Address, x.tx.Call),
		MaxFee: x.tx.MaxFee,
	}}
}

func showIntent(c call, p *wire.SignIntentParams) (*wire.Preview, error) {
	i, err := c.readIntent(p)
	if err != nil {
		return nil, err
	}
	if i.place != nil && c.holder(i.key(), i.place.nonce) != c.sub.Fingerprint {
		if err := c.replaceable(i); err != nil {
			return nil, err
		}
	}
	x := i.signing()
	return c.judged(x, i.place.shown(preview(i.account, i.network, x.Effects, i.maxFee)))
}

func showExact(c call, p *wire.SignTransactionParams) (*wire.Preview, error) {
	x, err := c.readExact(p)
	if err != nil {
		return nil, err
	}
	if by := c.holder(x.key(), x.tx.Nonce); by != "" && by != c.sub.Fingerprint {
		return nil, refusal.ErrNonceTaken
	}
	todo := x.signing()
	shown := preview(x.account, x.network, todo.Effects, x.tx.MaxFee)
	shown.Nonce = strconv.FormatUint(x.tx.Nonce, 10)
	return c.judged(todo, shown)
}

func preview(a account, n chain.Network, effects []chain.Effect, maxFee *big.Int) *wire.Preview {
	return &wire.Preview{
		SignWith: a.Address, WalletID: a.WalletID, Chain: n.Slug, ChainName: n.Name,
		ChainID: n.ID(), Effects: effects, MaxTotalFee: maxFee.String(),
		FeeDisplay: chain.FormatUnits(maxFee, n.Native.Decimals) + " " + n.Native.Symbol, Warnings: warn(effects),
	}
}

// account finds the organization's account of an address.
func (o *organization) account(address string) (account, error) {
	canonical, _, ok := families.ParseAddress(address)
	if !ok {
		return account{}, refusal.ErrBody.Msg("signWith is not an address")
	}
	a, ok := o.accounts[canonical]
	if !ok {
		return account{}, refusal.ErrAccount
	}
	return a, nil
}

// networkOf finds the network that a body names twice, and refuses one that the account's key is not for.
func (c *Constants) networkOf(a account, slug, id string) (chain.Network, error) {
	n, ok := chain.WithSlug(c.Networks, slug)
	if _, known := families.Of(n.Kind); !ok || !known {
		return n, refusal.ErrBody.Msg("chain is no network of this environment")
	}
	if id != n.ID() {
		return n, refusal.ErrBody.Msg("chainId is not that of the chain")
	}
	if n.Kind != a.family.Kind() {
		return n, refusal.ErrBody.Msg("signWith is an address of another kind of chain")
	}
	return n, nil
}
