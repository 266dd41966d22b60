package transaction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/signing/plan"
	"github.com/railkit/railkit/kit/signing/wallet"
)

// expiring is volatile where transactions name a recent block: the terms under which the enclave makes the one message
// of a body.
func expiring(
	ctx context.Context, planner *plan.Planner, n chain.Network, f chain.Family, t Transaction,
) (wire.Volatile, error) {
	p := plan.Plan{Sender: wallet.Sender{From: t.From, Family: f}, Network: n}
	if t.Type == plan.ExactBytes {
		var err error
		if p.Tx, err = unsigned(t); err != nil {
			return wire.Volatile{}, err
		}
		if err := planner.TryExact(ctx, &p); err != nil || p.Window.LastHeight == 0 {
			return wire.Volatile{}, err
		}
		return wire.Volatile{LastHeight: strconv.FormatInt(p.Window.LastHeight, 10)}, nil
	}
	read := stamped
	if t.Type == plan.AgentPayment {
		read = asked
	}
	w, err := read(n, f, t)
	if err != nil {
		return wire.Volatile{}, err
	}
	p.Tx.Call = w.Call
	o, err := planner.Offer(ctx, p, w)
	if err != nil {
		return wire.Volatile{}, err
	}
	units, err := o.Choose(w.Gas, rand.Uint64N)
	if err != nil {
		return wire.Volatile{}, err
	}
	return volatileOf(o, units), nil
}

func volatileOf(o plan.Offered, units uint64) wire.Volatile {
	v := wire.Volatile{
		Blockhash: o.Blockhash, Version: o.Version, Units: strconv.FormatUint(units, 10),
		LoadedBytes: strconv.FormatUint(o.LoadedBytes, 10), Priority: strconv.FormatUint(o.Priority, 10),
		LastHeight: strconv.FormatInt(o.LastHeight, 10),
	}
	if o.Rent > 0 {
		v.Rent = strconv.FormatUint(o.Rent, 10)
	}
	return v
}

// stamped is the intent in a transaction's body. The unsigned transaction beside it is one of the messages of it.
func stamped(_ chain.Network, _ chain.Family, t Transaction) (w node.Wish, err error) {
	var in wire.SignIntentParams
	if err := t.parameters(&in); err != nil {
		return w, err
	}
	value, ok := new(big.Int).SetString(in.Value, 10)
	data, err := chain.ParseHex(in.Data)
	if err != nil || !ok {
		return w, fmt.Errorf("the body of transaction %s has a call that is none: %w", t.ID, err)
	}
	return t.wish(chain.Call{To: in.To, Value: value, Data: data}, in.GasLimit, in.MaxTotalFee, in.MaxRent)
}

// asked is the intent of an agent's payment. Its body has the agent's own words, of which the enclave makes the
// transfer that the row tells of.
func asked(n chain.Network, f chain.Family, t Transaction) (w node.Wish, err error) {
	var in wire.AgentPaymentParams
	if err := t.parameters(&in); err != nil {
		return w, err
	}
	token, _ := n.TokenByAddress(t.TokenAddress)
	amount, err := chain.ParseUnits(t.Amount, token.Decimals)
	if err != nil {
		return w, fmt.Errorf("reading the amount of transaction %s: %w", t.ID, err)
	}
	call, err := f.Transfer(token, t.To, amount)
	if err != nil {
		return w, fmt.Errorf("reading the transfer of transaction %s: %w", t.ID, err)
	}
	return t.wish(call, in.GasLimit, in.MaxTotalFee, in.MaxRent)
}

func (t Transaction) parameters(in any) error {
	var body wire.Body
	if err := errors.Join(json.Unmarshal([]byte(t.Body), &body), json.Unmarshal(body.Parameters, in)); err != nil {
		return fmt.Errorf("reading the body of transaction %s: %w", t.ID, err)
	}
	return nil
}

// wish is a call within what the body allows for it.
func (t Transaction) wish(call chain.Call, gasLimit, maxFee, maxRent string) (w node.Wish, err error) {
	fee, ok := new(big.Int).SetString(maxFee, 10)
	gas, err := strconv.ParseUint(gasLimit, 10, 64)
	if maxRent != "" && err == nil {
		call.Rent, err = strconv.ParseUint(maxRent, 10, 64)
	}
	if err != nil || !ok {
		return w, fmt.Errorf("the body of transaction %s has numbers that are none: %w", t.ID, err)
	}
	return node.Wish{Intent: chain.Intent{From: t.From, Call: call, Gas: gas}, MaxFee: fee}, nil
}

// triesAlike is how often a message is made anew that was signed before, for another body.
const triesAlike = 3

// submitAnew is for a payment like another one: it may make the very message that was signed for that one, and is made
// again with other terms. try brings the body to the enclave.
func submitAnew(v wire.Volatile, terms func() (wire.Volatile, error),
	try func(wire.Volatile) (client.Outcome, error),
) (client.Outcome, error) {
	out, err := try(v)
	for n := 0; errors.Is(err, refusal.ErrAlreadySigned) && v.Units != "" && n < triesAlike; n++ {
		if v, err = terms(); err != nil {
			return client.Outcome{}, err
		}
		out, err = try(v)
	}
	return out, err
}
