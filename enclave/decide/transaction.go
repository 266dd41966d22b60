package decide

import (
	"cmp"
	"crypto/sha256"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

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
	if i.Rent, err = i.rent(p.MaxRent); err != nil {
		return i, err
	}
	if err := i.account.family.CheckIntent(i.network, i.Intent); err != nil {
		return i, refusal.ErrBody.Msg("to cannot be paid this").Because(err)
	}
	if i.place, err = i.readPlace(p.Replaces); err != nil {
		return i, err
	}
	return i, i.checkTransfer(p.Transfer)
}

// numbered reports whether the transactions of an account have nonces.
func (a account) numbered() bool { return a.family.Form().Nonces }

// rent reads what the payee's account may cost, of a token where tokens have accounts.
func (i intent) rent(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, ok := number(text)
	if !ok || n == 0 || i.account.numbered() || len(i.Data) == 0 {
		return 0, refusal.ErrBody.Msg("maxRent is no decimal amount of lamports, or nothing here needs an account")
	}
	return n, nil
}

// checkTransfer holds the words of a body against its calldata: who reads the
// body must not be told another recipient or amount than the chain.
func (i intent) checkTransfer(t *wire.TransferParams) error {
	if t == nil {
		return nil
	}
	i.Rent = 0 // it is not what is paid
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

// terms are what the host adds to what was stamped.
func (c call) terms(i intent, v wire.Volatile) (chain.Terms, error) {
	if !i.account.numbered() {
		return recent(v, lastEnd(i.account.family, c.now))
	}
	floor, ok := number(v.NonceFloor)
	if !ok {
		return chain.Terms{}, refusal.ErrBody.Msg("the host's nonce floor is not a number")
	}
	nonce, err := c.nonceOf(i, floor, c.AcceptNonces)
	if err != nil {
		return chain.Terms{}, err
	}
	feeCap, ok := wei(v.MaxFeePerGas)
	tip, tipOK := wei(v.MaxPriorityFeePerGas)
	if !ok || !tipOK || tip.Cmp(feeCap) > 0 {
		return chain.Terms{}, refusal.ErrBody.Msg("the host's fee is not valid")
	}
	return chain.Terms{Nonce: nonce, Fee: chain.Fee{Max: feeCap, Priority: tip}}, nil
}

// lastEnd is the latest end of what is signed now, where a family's bytes say when they end; 0 elsewhere.
func lastEnd(f chain.Family, now time.Time) int64 {
	if life := f.Form().Lifetime; life > 0 {
		return now.Add(life).UnixMilli()
	}
	return 0
}

// recent reads the terms of a transaction without a nonce. When it expires is no word of the host's.
func recent(v wire.Volatile, expires int64) (chain.Terms, error) {
	r := &chain.Recent{Blockhash: v.Blockhash, Version: v.Version, Expires: expires}
	for _, part := range []struct {
		text string
		to   *uint64
	}{
		{v.Units, &r.Units}, {v.LoadedBytes, &r.LoadedBytes},
		{cmp.Or(v.Priority, "0"), &r.Priority}, {cmp.Or(v.Rent, "0"), &r.Rent},
	} {
		var ok bool
		if *part.to, ok = number(part.text); !ok {
			return chain.Terms{}, refusal.ErrBody.Msg(
				"the host's units, loadedBytes, priority and rent are not all numbers")
		}
	}
	return chain.Terms{Recent: r}, nil
}

// assemble makes the transaction out of what was stamped and what the host adds.
func (i intent) assemble(t chain.Terms) (chain.Tx, error) {
	tx, err := i.account.family.Assemble(i.network, i.Intent, t)
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

func (c call) orderIntent(i intent, v wire.Volatile) (Event, error) {
	terms, err := c.terms(i, v)
	if err != nil {
		return Event{}, err
	}
	tx, err := i.assemble(terms)
	if err != nil {
		return Event{}, err
	}
	return c.order(i.account, i.network, tx, i.effects(), v)
}

// approves reports whether an effect lets somebody take something later.
func approves(e chain.Effect) bool {
	return e.Kind != chain.Transfer && e.Kind != chain.Receive && e.Amount != "0"
}

// order is what stands in the journal before a transaction is signed. v has what only the host knows of it.
func (b *nonceBook) order(
	a account, n chain.Network, tx chain.Tx, effects []chain.Effect, v wire.Volatile,
) (Event, error) {
	o := &Order{
		SignWith: a.Address, WalletID: a.WalletID, Path: a.Path, Kind: n.Kind, Chain: n.Slug, ChainID: n.ChainID,
		Nonce: tx.Nonce, Unsigned: tx.Unsigned,
	}
	e := Event{Kind: EventTransaction, Transaction: o}
	if a.numbered() {
		return e, nil
	}
	message := digest(sha256.Sum256(tx.Payload))
	if by := b.messageHolder(nonceKey{n.Slug, a.Address}, message); by != "" {
		return Event{}, refusal.ErrAlreadySigned.Msg(by)
	}
	height, ok := number(cmp.Or(v.LastHeight, "0"))
	if !ok {
		return Event{}, refusal.ErrBody.Msg("the host's last height is not a number")
	}
	o.Cluster, o.Message, o.Standing = n.Cluster, message.String(), slices.ContainsFunc(effects, approves)
	switch {
	case a.family.Form().Lifetime > 0:
		o.Expires = tx.Recent.Expires
	case tx.Durable == "":
		o.LastHeight = height
	}
	return e, nil
}

// exact is a SignTransaction's parameters, understood.
type exact struct {
	account account
	network chain.Network
	tx      chain.Tx
	effects []chain.Effect
	feeOnly bool // the account pays the fee for somebody else, and does no more
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
	if x.network, ok = c.networkOfBytes(x, p.ChainID); !ok {
		return x, refusal.ErrBody.Msg("chainId is not that of the transaction, or of no network of this environment")
	}
	if last := lastEnd(x.account.family, c.now); last > 0 && x.tx.Recent.Expires > last {
		return x, refusal.ErrBody.Msg("unsignedTransaction lasts longer than " +
			x.account.family.Form().Lifetime.String() + " from now")
	}
	if s := x.tx.Signers; len(s) > 0 && !slices.Contains(s, x.account.Address) {
		return x, refusal.ErrBody.Msg("signWith is none of those who sign the transaction")
	}
	x.effects = x.account.family.Effects(x.network, x.account.Address, x.tx.Call)
	if slices.ContainsFunc(x.tx.Signers, func(a string) bool { return a != x.account.Address && c.hasKey(a) }) {
		x.effects = []chain.Effect{{Kind: chain.UnknownCall, From: x.account.Address}}
	}
	s := x.tx.Signers
	x.feeOnly = x.tx.FeeOnly && s[0] == x.account.Address && !slices.ContainsFunc(s[1:], c.org.owns)
	return x, nil
}

// owns reports whether an address is of an account of the organization: what one of its accounts pays the fee for,
// another one of them has to have a word of its own for.
func (o *organization) owns(address string) bool {
	_, ok := o.accounts[address]
	return ok
}

// networkOfBytes is the network that a body and its bytes name. Where bytes name none there is one network of the kind,
// and the body need not say it.
func (c *Constants) networkOfBytes(x exact, id string) (chain.Network, bool) {
	kind := x.account.family.Kind()
	if x.tx.NetworkID != "" {
		n, ok := chain.WithID(c.Networks, kind, x.tx.NetworkID)
		return n, ok && id == x.tx.NetworkID
	}
	i := slices.IndexFunc(c.Networks, func(n chain.Network) bool { return n.Kind == kind })
	if i < 0 || id != "" && id != c.Networks[i].ID() {
		return chain.Network{}, false
	}
	return c.Networks[i], true
}

// hasKey reports whether an address is of an account of any organization: what two of ours have to sign, one of them
// cannot judge.
func (s *State) hasKey(address string) bool {
	for _, org := range s.organizations {
		if _, ok := org.accounts[address]; ok {
			return true
		}
	}
	return false
}

func signExact(c call, p *wire.SignTransactionParams) (Event, error) {
	x, err := c.readExact(p)
	if err != nil {
		return Event{}, err
	}
	if err := c.taken(x); err != nil {
		return Event{}, err
	}
	return c.sign(x.signing(), func() (Event, error) {
		if err := c.isNext(x, c.sub.Volatile, c.AcceptNonces); err != nil {
			return Event{}, err
		}
		effects := x.effects
		if x.feeOnly { // of its account's nothing stands open afterwards
			effects = nil
		}
		return c.order(x.account, x.network, x.tx, effects, c.sub.Volatile)
	})
}

// taken refuses bytes that were signed under another body, or whose nonce was.
func (c call) taken(x exact) error {
	if x.account.numbered() {
		if by := c.holder(x.key(), x.tx.Nonce); by != "" && by != c.sub.Fingerprint {
			return refusal.ErrNonceTaken
		}
		return nil
	}
	if by := c.messageHolder(x.key(), sha256.Sum256(x.tx.Payload)); by != "" && by != c.sub.Fingerprint {
		return refusal.ErrAlreadySigned.Msg(by)
	}
	return nil
}

// isNext holds exact bytes to the next free nonce. Were nonce 65535 signed today,
// the host could say tomorrow that the node had mined it: the next payment would
// get 65536 and wait behind a gap, while its owner pays again.
func (b *nonceBook) isNext(x exact, v wire.Volatile, believed bool) error {
	if !x.account.numbered() {
		return nil
	}
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
		Network: x.network, Effects: x.effects, MaxFee: x.tx.FeeOf(x.account.Address), FeeOnly: x.feeOnly,
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
	if err := c.taken(x); err != nil {
		return nil, err
	}
	todo := x.signing()
	shown := preview(x.account, x.network, todo.Effects, todo.MaxFee)
	if x.account.numbered() {
		shown.Nonce = strconv.FormatUint(x.tx.Nonce, 10)
	}
	shown.Warnings = append(shown.Warnings, x.warn()...)
	return c.judged(todo, shown)
}

// warn names what of exact bytes their effects do not tell.
func (x exact) warn() (warnings []string) {
	if x.tx.Durable != "" {
		warnings = append(warnings, "can be sent at any later time until nonce account "+x.tx.Durable+" advances")
	}
	if len(x.tx.Signers) > 1 {
		warnings = append(warnings, "others have to sign it too: "+strings.Join(slices.DeleteFunc(
			slices.Clone(x.tx.Signers), func(a string) bool { return a == x.account.Address }), ", "))
	}
	return warnings
}

func preview(a account, n chain.Network, effects []chain.Effect, maxFee *big.Int) *wire.Preview {
	return &wire.Preview{
		SignWith: a.Address, WalletID: a.WalletID, Chain: n.Slug, ChainName: n.Name,
		ChainID: n.ID(), Effects: effects, MaxTotalFee: maxFee.String(),
		FeeDisplay: chain.FormatUnits(maxFee, n.Native.Decimals) + " " + n.Native.Symbol,
		Warnings:   append(warn(effects), warnPayees(a.family, effects)...),
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
