package takeover

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/railkit/railkit/enclave/wire"
)

// ledger is what honest people keep of what they agreed to. It knows nothing of
// how the signer decides.
type ledger struct {
	mu         sync.Mutex
	purses     map[common.Address]purse
	societies  map[string]*society
	bodies     map[string]string          // by fingerprint: what anybody was asked for
	stamped    map[string]map[string]bool // fingerprint -> credentials
	rejected   map[string]bool
	signed     map[string]common.Hash          // fingerprint -> the one transaction that it made
	recipients map[string]common.Address       // fingerprint -> whom the body is to pay, where its owner meant a name
	taken      map[string][]uint64             // nonces, by chain and address
	servants   map[string]*servant             // agents, by id
	orders     map[string]*order               // by the text that the agent signed
	offers     map[string]wire.AgentX402Params // fingerprint -> what the actor says that a seller wants
	made       map[string]bool                 // fingerprints of what made a wallet on an agent's word
	solana     solBook
	tron       tronBook
	ahead      time.Duration // of the true time in a test that has time pass, against the machine's
	violations []string
	signatures int
}

// purse is an address of an honest wallet.
type purse struct{ org, wallet string }

// society is a sub-organization as its members want it.
type society struct {
	members  map[string]string // credential -> user
	config   wire.ApprovalConfig
	policies map[string]wire.Policy
	age      int                       // grows with every change of the rules
	votes    map[string]map[string]int // fingerprint -> credential -> age of the rules that it was for
	friends  []friend
	stopped  bool                         // the kill switch of all agents
	spent    map[string]map[string]uint64 // wallet or policy -> day -> millionths of a USD
}

func newLedger() *ledger {
	return &ledger{
		purses: map[common.Address]purse{}, societies: map[string]*society{}, bodies: map[string]string{},
		stamped: map[string]map[string]bool{}, rejected: map[string]bool{}, signed: map[string]common.Hash{},
		taken:      map[string][]uint64{},
		recipients: map[string]common.Address{},
		servants:   map[string]*servant{}, orders: map[string]*order{}, made: map[string]bool{},
		offers: map[string]wire.AgentX402Params{}, solana: newSolBook(), tron: newTronBook(),
	}
}

// citizen is an honest member.
func (l *ledger) citizen(p *person) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.societies[p.org] == nil {
		l.societies[p.org] = &society{
			members: map[string]string{}, policies: map[string]wire.Policy{}, votes: map[string]map[string]int{},
			spent: map[string]map[string]uint64{},
		}
	}
	l.societies[p.org].members[p.credential] = p.user
}

// gone is a passkey that its owner removed.
func (l *ledger) gone(p *person) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.societies[p.org].members, p.credential)
}

func (l *ledger) purse(address common.Address, org, wallet string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.purses[address] = purse{org, wallet}
}

// agreed is a stamp that its maker meant, over exactly this body. A vote is
// consent to the body that it names, under the rules of now.
func (l *ledger) agreed(p *person, body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fp := wire.Fingerprint(body)
	l.bodies[fp] = body
	if l.stamped[fp] == nil {
		l.stamped[fp] = map[string]bool{}
	}
	l.stamped[fp][p.credential] = true
	b, _ := decode[wire.Body]([]byte(body))
	v, ok := decode[wire.ApproveActivityParams](b.Parameters)
	if !ok || b.Type != wire.ApproveActivity {
		return
	}
	s := l.societies[p.org]
	if s.votes[v.Fingerprint] == nil {
		s.votes[v.Fingerprint] = map[string]int{}
	}
	s.votes[v.Fingerprint][p.credential] = s.age
}

// enacted are rules that the members have agreed on, and know to be in force.
func (l *ledger) enacted(org string, r wire.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.societies[org]
	if r.ApprovalConfig != nil {
		s.config = *r.ApprovalConfig
		s.age++
	}
	if r.Policy != nil {
		s.policies[r.Policy.ID] = *r.Policy
		s.age++
	}
	if r.Payee != nil {
		s.met(*r.Payee)
	}
	if r.Agent != nil {
		l.employed(org, *r.Agent)
	}
	if r.KillSwitch != nil {
		s.stopped = *r.KillSwitch
	}
	if r.Payee != nil && r.Payee.RemovedAt != "" {
		l.forget(s, r.Payee.Address)
	}
}

func (l *ledger) repealed(org, policyID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.societies[org].policies, policyID)
	l.societies[org].age++
}

// recovering is a recovery that the members were told of: what they voted for
// before it is void.
func (l *ledger) recovering(org string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.societies[org].age++
}

func (l *ledger) reject(body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fp := wire.Fingerprint(body)
	if _, done := l.signed[fp]; done {
		l.violations = append(l.violations, "what was signed is said to be rejected")
	}
	l.rejected[fp] = true
}

// saw looks at an answer of the signer for a signature that nobody agreed to.
func (l *ledger) saw(st wire.Statement) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := st.Result.Transaction; t != nil {
		l.signatures++
		err := error(nil)
		switch {
		case strings.HasPrefix(t.Chain, "solana"):
			err = l.sawSolana(st.Fingerprint, *t)
		case t.Chain == "tron":
			err = l.sawTron(st.Fingerprint, *t)
		default:
			err = l.transaction(t.SignedTransaction)
		}
		if err != nil {
			l.violations = append(l.violations, err.Error())
		}
	}
	if st.Activity == wire.AgentWallet && st.Result.Wallet != nil {
		if err := l.founded(st); err != nil {
			l.violations = append(l.violations, err.Error())
		}
	}
	if s := st.Result.Signature; s != nil {
		l.signatures++
		if err := l.signature(st); err != nil {
			l.violations = append(l.violations, err.Error())
		}
	}
}

// found is how many signatures nobody agreed to, of how many.
func (l *ledger) found() (unwanted, signatures int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for at, nonces := range l.taken {
		if slices.Max(nonces) >= uint64(len(nonces)) { // it would park a payment, until others are made
			l.violations = append(l.violations, "a nonce leaves others out")
			delete(l.taken, at)
		}
	}
	return len(l.violations), l.signatures
}

// now is the true time.
func (l *ledger) now() time.Time { return time.Now().Add(l.ahead) }

// why says what is wrong with the last of them.
func (l *ledger) why() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.violations[len(l.violations)-1]
}

func (l *ledger) transaction(signed string) error {
	var tx types.Transaction
	if err := tx.UnmarshalBinary(common.FromHex(signed)); err != nil {
		return fmt.Errorf("it signs what is no transaction: %w", err)
	}
	from, err := types.Sender(types.LatestSignerForChainID(tx.ChainId()), &tx)
	if err != nil {
		return fmt.Errorf("its signer cannot be told: %w", err)
	}
	p, honest := l.purses[from]
	if !honest {
		return nil
	}
	if l.mayCome(&tx) { // the same transaction again
		return nil
	}
	x := reading(&tx, from, l.now())
	fp, err := l.warrant(p, x)
	if err != nil {
		return err
	}
	return l.book(p, x, fp)
}

func (l *ledger) mayCome(tx *types.Transaction) bool {
	for _, hash := range l.signed {
		if hash == tx.Hash() {
			return true
		}
	}
	return false
}

// warrant finds the body that allows a transaction, the delegation, or the request that an agent signed.
func (l *ledger) warrant(p purse, x signing) (fingerprint string, err error) {
	s := l.societies[p.org]
	err = errors.New("nobody agreed to it")
	for fp, raw := range l.bodies {
		body, ok := strict(raw)
		if !ok || body.OrganizationID != p.org || !x.is(body) {
			continue
		}
		if why := l.allows(s, p, fp, body, x); why != nil {
			err = why
			continue
		}
		return fp, nil
	}
	if id := s.delegated(p, x); id != "" {
		return id, nil
	}
	if message, why := l.ordered(s, p, x); message != "" || why != nil {
		return message, why
	}
	return "", err
}

func (l *ledger) allows(s *society, p purse, fp string, body wire.Body, x signing) error {
	if to := l.recipients[fp]; to != (common.Address{}) && to != x.to {
		return errors.New("it pays another than the payee that its owner was shown")
	}
	over := s.config.Enabled && x.costs(s.config.ThresholdUSD)
	if err := l.consented(s, fp, body, x.at, over); err != nil {
		return err
	}
	return s.rules(p, x)
}

// consented holds a body against what its owners did about it. What is over their threshold takes votes.
func (l *ledger) consented(s *society, fp string, body wire.Body, at time.Time, over bool) error {
	votes := s.count(fp)
	switch _, done := l.signed[fp]; {
	case done:
		return errors.New("its body was signed for before")
	case l.rejected[fp]:
		return errors.New("its body was rejected")
	case body.Environment != "sandbox":
		return errors.New("its body is for another environment")
	case !inTime(body, at) && votes == 0:
		return errors.New("its body is not for this time")
	}
	stamped := false
	for credential := range l.stamped[fp] {
		stamped = stamped || s.members[credential] != ""
	}
	needed := 1
	if s.config.Enabled {
		_, _ = fmt.Sscan(s.config.RequiredApprovers, &needed)
	}
	if votes < needed && (over || !stamped) {
		return fmt.Errorf("%d users agreed, %d had to", votes, needed)
	}
	return nil
}

// count is how many users voted under the rules of now.
func (s *society) count(fp string) int {
	users := map[string]bool{}
	for credential, age := range s.votes[fp] {
		if user := s.members[credential]; user != "" && age == s.age {
			users[user] = true
		}
	}
	return len(users)
}

// inTime follows the contract: an hour at most, and five minutes of clocks apart.
func inTime(b wire.Body, now time.Time) bool {
	var made, ends int64
	if n, _ := fmt.Sscan(b.TimestampMs, &made); n != 1 {
		return false
	}
	if n, _ := fmt.Sscan(b.ExpiresAtMs, &ends); n != 1 {
		return false
	}
	from, to := time.UnixMilli(made), time.UnixMilli(ends)
	return to.Sub(from) <= time.Hour && from.Before(now.Add(5*time.Minute)) && now.Before(to)
}

// book enters what was signed.
func (l *ledger) book(p purse, x signing, fp string) error {
	l.signed[fp+" "+x.tx.Hash().Hex()] = x.tx.Hash()
	if _, body := l.bodies[fp]; body {
		l.signed[fp] = x.tx.Hash()
	}
	at := fmt.Sprint(x.tx.ChainId(), x.from)
	l.taken[at] = append(l.taken[at], x.tx.Nonce())
	l.settle(fp, x)
	s, day := l.societies[p.org], x.at.UTC().Format(time.DateOnly)
	for _, id := range []string{p.wallet, fp} {
		if s.spent[id] == nil {
			s.spent[id] = map[string]uint64{}
		}
		s.spent[id][day] += x.micro()
	}
	return nil
}

// strict reads a body that means one thing to everybody: each member once, and known.
func strict(raw string) (b wire.Body, ok bool) {
	if !unique(json.NewDecoder(bytesOf(raw))) || !known(raw, &b) {
		return b, false
	}
	params := map[wire.ActivityType]any{
		wire.SignIntent: &wire.SignIntentParams{}, wire.SignTransaction: &wire.SignTransactionParams{},
		wire.SignMessage: &wire.SignMessageParams{},
	}[b.Type]
	return b, params != nil && known(string(b.Parameters), params)
}

func known(raw string, v any) bool {
	d := json.NewDecoder(bytesOf(raw))
	d.DisallowUnknownFields()
	return d.Decode(v) == nil && !d.More()
}

// unique walks the tokens of one value.
func unique(d *json.Decoder) bool {
	t, err := d.Token()
	if err != nil {
		return false
	}
	seen := map[any]bool{}
	switch t {
	case json.Delim('{'):
		for d.More() {
			name, err := d.Token()
			if err != nil || seen[name] || !unique(d) {
				return false
			}
			seen[name] = true
		}
	case json.Delim('['):
		for d.More() {
			if !unique(d) {
				return false
			}
		}
	default:
		return true
	}
	_, err = d.Token()
	return err == nil
}

// sum is an amount in a wider sense: of what is worth a price, in millionths of a USD, rounded up.
func sum(amount *big.Int, usd string, decimals int64) *big.Int {
	price, _ := new(big.Rat).SetString(usd)
	worth := new(big.Rat).Mul(price, new(big.Rat).SetInt(amount))
	worth.Mul(worth, big.NewRat(1_000_000, 1))
	worth.Quo(worth, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil)))
	up := new(big.Int).Add(worth.Num(), new(big.Int).Sub(worth.Denom(), big.NewInt(1)))
	return up.Div(up, worth.Denom())
}
