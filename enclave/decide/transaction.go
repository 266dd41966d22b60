package decide

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/wire"
)

// maxGas is above every block limit in use; a larger one is a mistake.
const maxGas = 100_000_000

// typeEthereum is the field's name for transactions of every EVM network.
const typeEthereum = "TRANSACTION_TYPE_ETHEREUM"

// intent is a SignIntent's parameters, understood.
type intent struct {
	account account
	from    evm.Address
	network chain.Network
	to      evm.Address
	value   *big.Int
	data    []byte
	gas     uint64
	maxFee  *big.Int // in total
	place   *place   // of the transaction that it replaces, if any
}

func (s *State) readIntent(org *organization, p *wire.SignIntentParams) (i intent, err error) {
	if i.account, i.from, err = org.account(p.SignWith); err != nil {
		return i, err
	}
	if i.network, err = s.networkOf(p.Chain, p.ChainID); err != nil {
		return i, err
	}
	if i.to, err = evm.ParseAddress(p.To); err != nil {
		return i, ErrBody.Msg("to is not an address")
	}
	var ok bool
	if i.value, ok = wei(p.Value); !ok {
		return i, ErrBody.Msg("value is not a decimal amount of wei")
	}
	if i.data, ok = bytesOf(p.Data); !ok {
		return i, ErrBody.Msg("data is not 0x-prefixed hex")
	}
	if i.gas, ok = number(p.GasLimit); !ok || i.gas == 0 || i.gas > maxGas {
		return i, ErrBody.Msg("gasLimit is not a sensible amount of gas")
	}
	if i.maxFee, ok = wei(p.MaxTotalFee); !ok {
		return i, ErrBody.Msg("maxTotalFee is not a decimal amount of wei")
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
		return ErrBody.Msg("transfer does not describe the calldata")
	}
	e := effects[0]
	if e.Kind != chain.Transfer || e.Asset != t.Token || e.To != t.To || e.Amount != t.Amount ||
		e.From != i.from.String() {
		return ErrBody.Msg("transfer does not describe the calldata")
	}
	return nil
}

func (i intent) effects() []chain.Effect {
	return evm.Effects(i.from, &i.to, i.value, i.data, i.network)
}

// assemble makes the transaction out of what was stamped and what the host adds.
func (i intent) assemble(nonce uint64, v wire.Volatile) (evm.Tx, error) {
	feeCap, ok := wei(v.MaxFeePerGas)
	tip, tipOK := wei(v.MaxPriorityFeePerGas)
	if !ok || !tipOK || tip.Cmp(feeCap) > 0 {
		return evm.Tx{}, ErrBody.Msg("the host's fee is not valid")
	}
	tx := evm.Tx{
		Type: evm.DynamicFee, ChainID: i.network.ChainID, Nonce: nonce, MaxFeePerGas: feeCap, MaxPriorityFeePerGas: tip,
		GasLimit: i.gas, To: &i.to, Value: i.value, Data: i.data,
	}
	if tx.MaxFee().Cmp(i.maxFee) > 0 {
		return evm.Tx{}, ErrFee
	}
	if err := tx.Validate(); err != nil {
		return evm.Tx{}, ErrBody.Msg("the transaction is not valid").Because(err)
	}
	return tx, nil
}

func (s *State) decideIntent(
	org *organization, sub Submission, p *wire.SignIntentParams, by actor, now time.Time,
) (Event, error) {
	i, err := s.readIntent(org, p)
	if err != nil {
		return Event{}, err
	}
	return s.decideSigning(org, sub, i.signing(), by, now, func() (Event, error) {
		return s.orderIntent(i, sub.Volatile)
	})
}

func (i intent) signing() signing {
	return signing{account: i.account,
		Signing: policy.Signing{Network: i.network, Effects: i.effects(), MaxFee: i.maxFee}, tx: i.longest()}
}

// longest is the longest transaction that the intent can become: the host adds the nonce
// and the fee per gas, and neither has more digits than these.
func (i intent) longest() *evm.Tx {
	return &evm.Tx{
		Type: evm.DynamicFee, ChainID: i.network.ChainID, Nonce: math.MaxUint64, MaxFeePerGas: i.maxFee,
		MaxPriorityFeePerGas: i.maxFee, GasLimit: i.gas, To: &i.to, Value: i.value, Data: i.data,
	}
}

func (s *State) orderIntent(i intent, v wire.Volatile) (Event, error) {
	floor, ok := number(v.NonceFloor)
	if !ok {
		return Event{}, ErrBody.Msg("the host's nonce floor is not a number")
	}
	nonce, err := s.nonceOf(i, floor)
	if err != nil {
		return Event{}, err
	}
	tx, err := i.assemble(nonce, v)
	if err != nil {
		return Event{}, err
	}
	return order(i.account, i.network, tx), nil
}

// nextNonce is the lowest number, not below the floor, that was not signed for.
// The keys are born here, so nobody else can have used a nonce: a floor above all
// that was signed is a lie that would park this payment until others fill the
// gap, perhaps after its owner has paid again. (After a restore of an older
// folder it is none; the operator says so.)
func (s *State) nextNonce(chainID uint64, from evm.Address, floor uint64) (uint64, error) {
	k := nonceKey{chainID, from.String()}
	if floor > s.above[k] && !s.AcceptNonces {
		return 0, ErrFloor
	}
	n := max(floor, s.lowest[k])
	for ; ; n++ {
		if _, taken := s.nonces[k][n]; !taken {
			return n, nil
		}
	}
}

func order(a account, n chain.Network, tx evm.Tx) Event {
	return Event{Kind: EventTransaction, Transaction: &Order{
		SignWith: a.Address, WalletID: a.WalletID, Path: a.Path, Chain: n.Slug, ChainID: n.ChainID, Nonce: tx.Nonce,
		Unsigned: tx.Unsigned(),
	}}
}

// exact is a SignTransaction's parameters, understood.
type exact struct {
	account account
	from    evm.Address
	network chain.Network
	tx      evm.Tx
}

func (s *State) readExact(org *organization, p *wire.SignTransactionParams) (x exact, err error) {
	if p.Type != typeEthereum {
		return x, ErrBody.Msg("type is not TRANSACTION_TYPE_ETHEREUM")
	}
	if x.account, x.from, err = org.account(p.SignWith); err != nil {
		return x, err
	}
	raw, ok := bytesOf(p.UnsignedTransaction)
	if !ok {
		return x, ErrBody.Msg("unsignedTransaction is not 0x-prefixed hex")
	}
	if x.tx, err = evm.DecodeUnsigned(raw); err != nil {
		return x, ErrBody.Msg("unsignedTransaction is not a canonical transaction that is signed here").Because(err)
	}
	x.network, ok = chain.WithChainID(s.Networks, x.tx.ChainID)
	if !ok || p.ChainID != strconv.FormatUint(x.tx.ChainID, 10) {
		return x, ErrBody.Msg("chainId is not that of the transaction, or of no network of this environment")
	}
	return x, nil
}

func (s *State) decideExact(
	org *organization, sub Submission, p *wire.SignTransactionParams, by actor, now time.Time,
) (Event, error) {
	x, err := s.readExact(org, p)
	if err != nil {
		return Event{}, err
	}
	if s.signedFor(x) != "" {
		return Event{}, ErrNonceTaken
	}
	return s.decideSigning(org, sub, x.signing(), by, now, func() (Event, error) {
		return order(x.account, x.network, x.tx), s.isNext(x, sub.Volatile)
	})
}

// isNext holds exact bytes to the next free nonce. Were nonce 65535 signed today,
// the host could say tomorrow that the node had mined it: the next payment would
// get 65536 and wait behind a gap, while its owner pays again.
func (s *State) isNext(x exact, v wire.Volatile) error {
	floor, ok := number(cmp.Or(v.NonceFloor, "0"))
	if !ok {
		return ErrBody.Msg("the host's nonce floor is not a number")
	}
	next, err := s.nextNonce(x.network.ChainID, x.from, floor)
	switch {
	case err != nil:
		return err
	case x.tx.Nonce < next:
		return ErrNonceTaken
	case x.tx.Nonce > next:
		return ErrNonceNotNext.Msg(next)
	}
	return nil
}

func (x exact) signing() signing {
	rules := policy.Signing{Network: x.network, Effects: x.tx.Effects(x.from, x.network), MaxFee: x.tx.MaxFee()}
	return signing{account: x.account, Signing: rules, tx: &x.tx}
}

// signedFor is the body under which the nonce of x was signed for, if any.
func (s *State) signedFor(x exact) (fingerprint string) {
	return s.nonces[nonceKey{x.network.ChainID, x.from.String()}][x.tx.Nonce]
}

func (s *State) previewIntent(
	org *organization, r Request, p *wire.SignIntentParams, now time.Time,
) (*wire.Preview, error) {
	i, err := s.readIntent(org, p)
	if err != nil {
		return nil, err
	}
	if i.place != nil && s.holder(i) != r.Fingerprint {
		if err := s.replaceable(i); err != nil {
			return nil, err
		}
	}
	x := i.signing()
	return s.judged(org, r, x, i.place.shown(preview(i.account, i.network, x.Effects, i.maxFee)), now)
}

func (s *State) previewExact(
	org *organization, r Request, p *wire.SignTransactionParams, now time.Time,
) (*wire.Preview, error) {
	x, err := s.readExact(org, p)
	if err != nil {
		return nil, err
	}
	if by := s.signedFor(x); by != "" && by != r.Fingerprint {
		return nil, ErrNonceTaken
	}
	todo := x.signing()
	shown := preview(x.account, x.network, todo.Effects, x.tx.MaxFee())
	shown.Nonce = strconv.FormatUint(x.tx.Nonce, 10)
	return s.judged(org, r, todo, shown, now)
}

func preview(a account, n chain.Network, effects []chain.Effect, maxFee *big.Int) *wire.Preview {
	return &wire.Preview{
		SignWith: a.Address, WalletID: a.WalletID, Chain: n.Slug, ChainName: n.Name,
		ChainID: strconv.FormatUint(n.ChainID, 10), Effects: effects, MaxTotalFee: maxFee.String(),
		FeeDisplay: chain.FormatUnits(maxFee, n.Native.Decimals) + " " + n.Native.Symbol, Warnings: warn(effects),
	}
}

// account finds the organization's account of an address.
func (o *organization) account(address string) (account, evm.Address, error) {
	parsed, err := evm.ParseAddress(address)
	if err != nil {
		return account{}, evm.Address{}, ErrBody.Msg("signWith is not an address")
	}
	a, ok := o.accounts[parsed.String()]
	if !ok {
		return account{}, evm.Address{}, ErrAccount
	}
	return a, parsed, nil
}

func (s *State) networkOf(slug, chainID string) (chain.Network, error) {
	n, ok := chain.WithSlug(s.Networks, slug)
	if !ok || n.Kind != chain.EVM {
		return n, ErrBody.Msg("chain is no network of this environment")
	}
	if chainID != strconv.FormatUint(n.ChainID, 10) {
		return n, ErrBody.Msg("chainId is not that of the chain")
	}
	return n, nil
}
