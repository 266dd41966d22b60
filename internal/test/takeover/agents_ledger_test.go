package takeover

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/railkit/railkit/enclave/wire"
)

// servant is an agent as its owners mean it: within these limits it spends without asking them.
type servant struct {
	purse
	limits  *wire.AgentLimits // nil: it may do nothing
	status  wire.AgentStatus
	paid    map[string]uint64 // month -> millionths of a USDC
	wallets int               // that it made on its own word
	lent    map[string]uint64 // month and nonce -> the most that a transfer signed under it moves
}

// order is what an honest agent signed for: its word for one payment, or for one wallet.
type order struct {
	agent       string
	words       wire.PaymentRequest
	wallet      bool
	buys        *purchase
	from, until time.Time
	http        bool // it holds for one host
	done        bool
}

// asked is a request that an honest agent signed. Only one to its own sign-transaction is meant as a payment, only one
// to its x402-pay as a purchase, only one to wallets as a wallet, and none has a query.
func (l *ledger) asked(a asking) {
	o := &order{agent: a.AgentID, http: a.HTTP != nil, wallet: a.Path == "/v1/agents/wallets"}
	if a.Path == "/v1/agents/"+a.AgentID+"/sign-transaction" {
		o.words, _ = decode[wire.PaymentRequest]([]byte(a.text))
	}
	if a.Path == "/v1/agents/"+a.AgentID+"/x402-pay" {
		o.buys = readPurchase(a.text)
	}
	if a.Method != "POST" || a.HTTP != nil && a.HTTP.Query != "?" {
		return
	}
	at, ends := a.Timestamp, "9999999999"
	if o.http {
		at, ends = a.HTTP.Created, a.HTTP.Expires
	}
	made, _ := strconv.ParseInt(at, 10, 64)
	end, _ := strconv.ParseInt(ends, 10, 64)
	o.from, o.until = time.Unix(made-60, 0), time.Unix(min(end, made+60)+1, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.orders[a.Message()] = o
}

// employed is an agent as its owners know it to stand. One that was killed stays so.
func (l *ledger) employed(org string, a wire.Agent) {
	have := l.servants[a.ID]
	if have == nil {
		have = &servant{purse: purse{org, a.WalletID}, paid: map[string]uint64{}, lent: map[string]uint64{}}
		l.servants[a.ID] = have
	}
	if have.status != wire.AgentKilled {
		have.status, have.limits = a.Status, a.Limits
	}
}

// read is a body that somebody who is about to vote has before him.
func (l *ledger) read(body string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bodies[wire.Fingerprint(body)] = body
}

// ordered finds an agent's request that allows a transaction.
func (l *ledger) ordered(s *society, p purse, x signing) (message string, err error) {
	for message, o := range l.orders {
		a := l.servants[o.agent]
		if a == nil || a.purse != p || !x.isOrder(o.words) {
			continue
		}
		if err = l.grants(s, a, message, x); err == nil {
			return message, nil
		}
	}
	return "", err
}

// isOrder reports whether a transaction pays exactly what an agent's words say.
func (x signing) isOrder(w wire.PaymentRequest) bool {
	return x.understood && x.asset == "USDC" && slices.Contains([]string{"payment", "transfer"}, w.ActionType) &&
		(w.TokenMint == "USDC" || w.TokenMint == usdcs[x.chain()]) && w.Cluster == x.chain() &&
		common.HexToAddress(w.Destination) == x.to && w.Amount == x.amount.String()
}

// grants holds an order against what the agent's owners allowed, and voted for.
func (l *ledger) grants(s *society, a *servant, message string, x signing) error {
	o := l.orders[message]
	voted := l.votesFor(s, message)
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
	if voted < needed {
		return fmt.Errorf("%d users agreed to the agent's payment, %d had to", voted, needed)
	}
	if err := a.within(s, x); err != nil {
		return err
	}
	return s.rules(a.purse, x)
}

// may reports why an agent has no say at this time, or not this one.
func (a *servant) may(s *society, o *order, voted bool, now time.Time) error {
	switch {
	case o.done:
		return errors.New("the agent's request was used before")
	case a.limits == nil:
		return errors.New("its owners gave the agent no limits")
	case s.stopped:
		return errors.New("its owners stopped all agents")
	case a.status != wire.AgentActive && !(a.status == wire.AgentDraining && voted):
		return fmt.Errorf("its owners know the agent to be %s", a.status)
	case a.limits.RequireHTTPSignature && !o.http:
		return errors.New("its owners want HTTP signatures of the agent")
	case now.Before(o.from):
		return errors.New("the agent's request is for later")
	case !voted && !now.Before(o.until), !now.Before(o.until.Add(5 * time.Minute)):
		return errors.New("the agent's request has ended")
	}
	return nil
}

// within holds a payment against the agent's limits.
func (a *servant) within(s *society, x signing) error {
	l, amount := a.limits, x.amount.Uint64()
	switch {
	case !slices.Contains(l.AllowedChains, x.chain()):
		return errNot("on a network of the agent's")
	case s.wastes(x):
		return errNot("to somebody who can use it")
	case len(l.AllowedRecipients) > 0 && !slices.Contains(l.AllowedRecipients, x.to.Hex()),
		l.PayeesOnly && !s.knows(x.to, l.PayeeCoolingHours):
		return errNot("to one whom the agent may pay")
	case !x.amount.IsUint64() || amount > dollars(l.PerTxUSDC):
		return errNot("within what the agent may pay at once")
	case a.paid[x.month()]+a.onLoan(x.month())+amount > dollars(l.PaymentsMonthlyUSDC):
		return errNot("within the agent's month")
	// Polygon's coin has no price here.
	case x.tx != nil && (x.chain() != "base" || x.fee().Uint64() > dollars(l.MaxFeeUSD)):
		return errNot("within the agent's fee")
	}
	return nil
}

// votesFor is how many users voted for a request, in whatever body it waits that was not rejected.
func (l *ledger) votesFor(s *society, message string) (most int) {
	for fp, raw := range l.bodies {
		body, _ := decode[wire.Body]([]byte(raw))
		p, ok := decode[wire.AgentPaymentParams](body.Parameters)
		if ok && body.Type == wire.AgentPayment && !l.rejected[fp] && p.Claim("").Message() == message {
			most = max(most, s.count(fp))
		}
	}
	return most
}

// settle enters what was signed for an agent.
func (l *ledger) settle(message string, x signing) {
	if o := l.orders[message]; o != nil {
		o.done = true
		l.servants[o.agent].paid[x.month()] += x.amount.Uint64()
	}
}

func (x signing) month() string { return x.at.UTC().Format("2006-01") }

// founded is a wallet that was made on an agent's word: one that the agent asked for, and its owners allow.
func (l *ledger) founded(st wire.Statement) error {
	if l.made[st.Fingerprint] {
		return nil
	}
	l.made[st.Fingerprint] = true
	err := errors.New("no agent asked for the wallet")
	for _, o := range l.orders {
		a := l.servants[o.agent]
		if !o.wallet || a == nil || a.org != st.OrganizationID {
			continue
		}
		if err = a.may(l.societies[a.org], o, false, l.now()); err != nil {
			continue
		}
		if most, _ := strconv.Atoi(a.limits.MaxWallets); a.wallets >= most {
			return errNot("a wallet that the agent may make")
		}
		o.done = true
		a.wallets++
		return nil
	}
	return err
}
