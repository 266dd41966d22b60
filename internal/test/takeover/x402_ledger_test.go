package takeover

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/railkit/railkit/enclave/wire"
)

// purchase is what an agent means by a request to x402-pay.
type purchase struct {
	url, recipient, network string // "": whatever its owner lets it
	most                    uint64 // millionths of a USDC
	sponsor, memo           string // on Solana; "": any
}

// readPurchase reads a request; nil of one that means nothing.
func readPurchase(text string) *purchase {
	q, ok := decode[wire.X402Request]([]byte(text))
	switch r := q.Requirement; {
	case !ok || r != nil && r.Currency != "USDC":
		return nil
	case r != nil:
		return &purchase{r.Resource, r.Recipient, r.Network, dollars(r.Amount), r.FeePayer, r.Memo}
	case q.URL != "":
		most, _ := strconv.ParseUint(q.MaxAmount, 10, 64)
		return &purchase{url: q.URL, network: q.Cluster, most: most}
	}
	most, _ := strconv.ParseUint(q.Amount, 10, 64)
	return &purchase{q.ResourceURL, q.Recipient, q.Cluster, most, "", q.Memo}
}

// at reports whether it is made at one of these hosts, or anywhere else than in the web.
func (w purchase) at(hosts []string) bool {
	u, err := url.Parse(w.url)
	return err == nil && (w.url == "" || slices.Contains(hosts, u.Host))
}

// transfer is a signed transfer that a seller can hand in, as the digest proves it.
type transfer struct {
	signing
	method, nonce string
	ends          time.Time
}

// signature is a signature over what is no transaction.
func (l *ledger) signature(st wire.Statement) error {
	if st.Activity == wire.AgentX402 {
		return l.bought(st)
	}
	if l.solana.has(st.Result.Signature.SignWith) {
		return l.solText(*st.Result.Signature)
	}
	return l.message(*st.Result.Signature)
}

// bought is a signature that came of an agent's request to buy. It has to be over the very transfer that the actor's
// offer describes: what else its key signs is nothing that an agent asked for.
func (l *ledger) bought(st wire.Statement) error {
	s, fp := st.Result.Signature, st.Fingerprint
	raw := common.FromHex(s.Signature)
	if len(raw) != 65 {
		return errors.New("it is no signature")
	}
	raw[64] -= 27
	key, err := crypto.SigToPub(common.FromHex(s.Digest), raw)
	if err != nil {
		return fmt.Errorf("its signer cannot be told: %w", err)
	}
	from := crypto.PubkeyToAddress(*key)
	p, honest := l.purses[from]
	if !honest || l.signed[fp] == common.HexToHash(s.Digest) { // the same signature again
		return nil
	}
	x, err := l.transferOf(st, from)
	if err != nil {
		return err
	}
	message, err := l.soldTo(l.societies[p.org], p, fp, x)
	if err != nil {
		return err
	}
	l.signed[fp] = common.HexToHash(s.Digest)
	l.lend(message, x)
	return nil
}

// transferOf reads what is signed from the actor's offer and the end that the signer tells. That it is so, the digest
// proves, which another library makes.
func (l *ledger) transferOf(st wire.Statement, from common.Address) (x transfer, err error) {
	p, offered := l.offers[st.Fingerprint]
	a := st.Result.Authorization
	if !offered || a == nil {
		return x, errors.New("it pays by an offer that nobody made")
	}
	x = transfer{method: p.Transfer, nonce: strings.ToLower(p.Nonce)}
	x.at, x.from, x.network, x.asset, x.understood = l.now(), from, p.Chain, "USDC", true
	x.to = common.HexToAddress(p.To)
	x.amount, _ = new(big.Int).SetString(p.Amount, 10)
	if x.ends, err = time.Parse(time.RFC3339, a.EndsAt); err != nil || x.amount == nil {
		return x, errors.New("nobody can tell until when it pays, or how much")
	}
	digest, _, err := apitypes.TypedDataAndHash(x.typed(p.Facilitator))
	if err != nil {
		return x, err
	}
	if common.BytesToHash(digest) != common.HexToHash(st.Result.Signature.Digest) {
		return x, errors.New("it signs something else than the transfer")
	}
	return x, nil
}

// soldTo finds the request of an agent that allows a transfer.
func (l *ledger) soldTo(s *society, p purse, fp string, x transfer) (message string, err error) {
	err = errors.New("no agent asked for it")
	for message, o := range l.orders {
		a := l.servants[o.agent]
		if a == nil || a.purse != p || o.buys == nil || !o.buys.allows(x) {
			continue
		}
		if err = l.sells(s, a, o, fp, x); err == nil {
			return message, nil
		}
	}
	return "", err
}

func (w purchase) allows(x transfer) bool {
	return x.amount.Sign() > 0 && x.amount.Cmp(new(big.Int).SetUint64(w.most)) <= 0 &&
		(w.recipient == "" || common.HexToAddress(w.recipient) == x.to) && (w.network == "" || w.network == x.network)
}

// sells holds a transfer against what the agent's owners allowed, and voted for: for this offer, and no other.
func (l *ledger) sells(s *society, a *servant, o *order, fp string, x transfer) error {
	voted := s.count(fp)
	if l.rejected[fp] {
		voted = 0
	}
	if err := a.may(s, o, voted > 0, x.at); err != nil {
		return err
	}
	needed := 0
	if x.amount.Uint64() > dollars(a.limits.ApprovalThresholdUSDC) {
		needed = 1
	}
	if s.config.Enabled && (needed > 0 || x.costs(s.config.ThresholdUSD)) {
		_, _ = fmt.Sscan(s.config.RequiredApprovers, &needed)
	}
	switch {
	case voted < needed:
		return fmt.Errorf("%d users agreed to the agent's purchase, %d had to", voted, needed)
	case x.ends.After(x.at.Add(121 * time.Second)): // the answer was on its way for less than one
		return errors.New("its seller can hand it in for more than 120 seconds")
	case !o.buys.at(a.limits.AllowedHosts):
		return errNot("at a host that the agent's owners allow")
	}
	before := a.lent[x.loan()]
	delete(a.lent, x.loan()) // of both at most one moves money
	err := a.within(s, x.signing)
	a.lent[x.loan()] = before
	if err != nil {
		return err
	}
	return s.rules(a.purse, x.signing)
}

// lend enters a transfer that was signed for an agent.
func (l *ledger) lend(message string, x transfer) {
	o := l.orders[message]
	o.done = true
	a := l.servants[o.agent]
	a.lent[x.loan()] = max(a.lent[x.loan()], x.amount.Uint64())
}

// loan names what one nonce of one contract takes in one month: of all transfers under it one can move money.
func (x transfer) loan() string {
	return strings.Join([]string{x.month(), x.network, x.method, x.from.Hex(), x.nonce}, " ")
}

// onLoan is the most that all transfers of a month can move.
func (a *servant) onLoan(month string) (micro uint64) {
	for name, most := range a.lent {
		if strings.HasPrefix(name, month) {
			micro += most
		}
	}
	return micro
}

// The contracts by which x402 moves money, besides the tokens.
const (
	permit2Contract = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
	exactProxy      = "0x402085c248EeA27D92E8b30b2C58ed07f9E20001"
	uptoProxy       = "0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002"
)

// typed is the transfer as a wallet would show it.
func (x transfer) typed(facilitator string) (data apitypes.TypedData) {
	id, ends := map[string]int{"base": 84532, "polygon": 80002}[x.network], x.ends.Unix()
	nonce := new(big.Int).SetBytes(common.FromHex(x.nonce))
	const domain = `"EIP712Domain":[{"name":"name","type":"string"},%s{"name":"chainId","type":"uint256"},` +
		`{"name":"verifyingContract","type":"address"}]`
	text := fmt.Sprintf(`{"types":{`+fmt.Sprintf(domain, `{"name":"version","type":"string"},`)+
		`,"TransferWithAuthorization":[{"name":"from","type":"address"},{"name":"to","type":"address"},`+
		`{"name":"value","type":"uint256"},{"name":"validAfter","type":"uint256"},`+
		`{"name":"validBefore","type":"uint256"},{"name":"nonce","type":"bytes32"}]},`+
		`"primaryType":"TransferWithAuthorization","domain":{"name":"USDC","version":"2","chainId":%d,`+
		`"verifyingContract":"%s"},"message":{"from":"%s","to":"%s","value":"%s","validAfter":"0",`+
		`"validBefore":"%d","nonce":"0x%064x"}}`, id, usdcs[x.network], x.from, x.to, x.amount, ends, nonce)
	if x.method == "permit2" {
		spender, member, value := exactProxy, "", ""
		if facilitator != "" {
			spender, member = uptoProxy, `{"name":"facilitator","type":"address"},`
			value = fmt.Sprintf(`"facilitator":"%s",`, facilitator)
		}
		text = fmt.Sprintf(`{"types":{`+fmt.Sprintf(domain, "")+`,"PermitWitnessTransferFrom":[`+
			`{"name":"permitted","type":"TokenPermissions"},{"name":"spender","type":"address"},`+
			`{"name":"nonce","type":"uint256"},{"name":"deadline","type":"uint256"},`+
			`{"name":"witness","type":"Witness"}],"TokenPermissions":[{"name":"token","type":"address"},`+
			`{"name":"amount","type":"uint256"}],"Witness":[{"name":"to","type":"address"},%s`+
			`{"name":"validAfter","type":"uint256"}]},"primaryType":"PermitWitnessTransferFrom",`+
			`"domain":{"name":"Permit2","chainId":%d,"verifyingContract":"%s"},"message":{"permitted":{"token":"%s",`+
			`"amount":"%s"},"spender":"%s","nonce":"%s","deadline":"%d","witness":{"to":"%s",%s"validAfter":"0"}}}`,
			member, id, permit2Contract, usdcs[x.network], x.amount, spender, nonce, ends, x.to, value)
	}
	_ = json.Unmarshal([]byte(text), &data) // of another transfer the digest differs
	return data
}
