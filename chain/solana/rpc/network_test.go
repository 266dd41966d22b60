package rpc_test

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/chain/solana/rpc"
)

// both are the two nodes as the server has them.
func (n *nodes) both() *rpc.Network {
	n.Helper()
	all, err := rpc.DialAll(n.url+"/a "+n.url+"/b", network)
	if err != nil {
		n.Fatal(err)
	}
	n.Cleanup(all.Close)
	return all
}

func (n *nodes) wish(to solana.Address, micro int64) node.Wish {
	n.Helper()
	call, err := (solana.Family{}).Transfer(network.Tokens[0], to.String(), big.NewInt(micro))
	if err != nil {
		n.Fatal(err)
	}
	return node.Wish{Intent: chain.Intent{From: alice.String(), Call: call}}
}

// An offer says what a payment would cost now, in the newest version that every node takes.
func TestOffer(t *testing.T) {
	t.Parallel()
	n := start(t)
	n.control("b", "dev_setView", view{"noV1": true})
	all := n.both()
	offer := func(w node.Wish) node.Offer {
		t.Helper()
		o, err := all.Offer(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	o := offer(n.wish(bob, 2_000_000))
	if o.Version != "v0" || o.Failure != nil || o.Used == 0 || o.Rent != 1_488_440 || o.LastHeight == 0 ||
		o.SignatureFee.Int64() != 5_000 || o.Balance.Int64() != 1_000_000_000 || o.Held.Int64() != 10_000_000 {
		t.Errorf("%+v", o)
	}
	n.control("b", "dev_setView", view{})
	all = n.both() // who has just begun tries v1 first
	if o := offer(n.wish(bob, 2_000_000)); o.Version != "v1" || o.Failure != nil {
		t.Errorf("%+v", o)
	}
	own := solana.AssociatedAddress(alice, usdc, solana.TokenProgram)
	for name, c := range map[string]struct {
		to    solana.Address
		micro int64
		class error
		words string
	}{
		"a token account": {solana.AssociatedAddress(bob, usdc, solana.TokenProgram), 1, nil, ""},
		"own account":     {own, 1, node.ErrPayee, "name its owner"},
		"too much":        {bob, 11_000_000, node.ErrReverts, "not enough"},
	} {
		o, err := all.Offer(t.Context(), n.wish(c.to, c.micro))
		if err != nil || !errors.Is(o.Failure, c.class) && (c.class != nil || o.Failure != nil) ||
			c.words != "" && !strings.Contains(o.Failure.Error(), c.words) {
			t.Errorf("%s: %v, %v", name, o.Failure, err)
		}
	}
	w := n.wish(bob, 1)
	w.Call = chain.Call{To: bob.String(), Value: big.NewInt(999_900_000)}
	if o := offer(w); !errors.Is(o.Failure, node.ErrReverts) || !strings.Contains(o.Failure.Error(), "leave less SOL") {
		t.Errorf("nearly all SOL: %v", o.Failure)
	}
}

// What became of a transaction is told with its cost, or that it expired, which bytes of a durable nonce never do.
func TestOutcome(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	b := n.blockhash()
	window := node.Window{Since: b.Slot, LastHeight: b.LastValid}
	_, lands := n.signed(n.pays(solana.V0, b, usdc, 1_000_000))
	_, fails := n.signed(n.pays(solana.V0, b, usdc, 50_000_000))
	_, dies := n.signed(n.pays(solana.V0, b, usdc, 3))
	if err := all.Send(t.Context(), lands); err != nil {
		t.Fatal(err)
	}
	n.untried(fails)
	outcome := func(raw []byte, w node.Window) node.Outcome {
		t.Helper()
		o, err := all.Outcome(t.Context(), node.Sent{Signed: raw, Window: w})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := outcome(lands, window); !o.Landed || !o.Succeeded || o.Paid.Int64() != 5_000 || o.BlockHash == "" {
		t.Errorf("%+v", o)
	}
	if o := outcome(fails, window); !o.Landed || o.Succeeded || o.Failed == "" || o.Paid.Int64() != 5_000 {
		t.Errorf("%+v", o)
	}
	if o := outcome(dies, window); o.Landed || o.Expired || o.Open == "" {
		t.Errorf("%+v", o)
	}
	n.control("a", "dev_expire", solana.Address(b.Hash).String())
	if o := outcome(dies, window); !o.Expired || o.Landed {
		t.Errorf("%+v", o)
	}
	if o := outcome(dies, node.Window{Since: b.Slot}); o.Expired {
		t.Errorf("nobody said when it ends: %+v", o)
	}
}

// The history of an owner is what moved in his associated account, both ways, without what failed.
func TestHistory(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	b := n.blockhash()
	_, out := n.signed(n.pays(solana.V0, b, usdc, 4_000_000))
	_, fails := n.signed(n.pays(solana.V0, b, usdc, 50_000_000))
	if err := all.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	n.untried(fails)
	moved, err := all.History(t.Context(), alice.String(), usdcMint, 0, 10)
	if err != nil || len(moved) != 2 || moved[0].From != alice.String() || moved[0].To != bob.String() ||
		moved[0].Amount.Int64() != 4_000_000 || moved[0].Time == 0 || moved[1].To != alice.String() {
		t.Errorf("%+v %v", moved, err)
	}
	if moved, err = all.History(t.Context(), alice.String(), usdcMint, 0, 1); err != nil || len(moved) != 1 {
		t.Errorf("one of them: %+v %v", moved, err)
	}
	if moved, err = all.History(t.Context(), alice.String(), usdcMint, 1<<40, 10); err != nil || len(moved) != 0 {
		t.Errorf("none so late: %+v %v", moved, err)
	}
	has, err := all.Balances(t.Context(), []string{alice.String(), bob.String()}, []string{usdcMint})
	if err != nil || len(has) != 2 || has[0].Coin.Sign() == 0 || has[1].Coin.Sign() != 0 ||
		has[1].Tokens[0].Int64() != 4_000_000 {
		t.Errorf("%v %v", has, err)
	}
}

// One node that is away, behind, or has thrown its blocks away is no reason to stop reading.
func TestReadsPastABadNode(t *testing.T) {
	t.Parallel()
	n := start(t)
	all := n.both()
	n.control("a", "dev_setView", view{"fails": true})
	latest, err := all.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Transfers(t.Context(), node.Query{To: latest.Number, Tokens: []string{usdcMint}}); err != nil {
		t.Error(err)
	}
	if _, err := all.Finalized(t.Context()); err == nil {
		t.Error("the finalized height takes every node")
	}
	if err := all.CheckNetwork(t.Context()); err == nil {
		t.Error("nobody says that a node is away")
	}
}

// Behind a URL may be several nodes. One that knows fewer blocks than the one before it has not looked for a
// transaction where that one was, so that no height says that it expired.
func TestLookFor(t *testing.T) {
	t.Parallel()
	n := start(t)
	tx, raw := n.signed(n.pays(solana.V0, n.blockhash(), usdc, 1_000_000))
	lagging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		at := n.url + "/ahead"
		if bytes.Contains(body, []byte("getSignatureStatuses")) {
			at = n.url + "/lagging"
		}
		res, err2 := http.Post(at, "application/json", bytes.NewReader(body))
		if errors.Join(err, err2) != nil {
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body)
	}))
	t.Cleanup(lagging.Close)
	balanced, err := rpc.DialAll(n.url+"/a "+lagging.URL, network)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(balanced.Close)
	look := func(all *rpc.Network) (found bool, height int64) {
		t.Helper()
		_, found, height, err := all.LookFor(t.Context(), tx.ID())
		if err != nil {
			t.Error(err)
		}
		return found, height
	}
	n.control("lagging", "dev_setView", view{"behind": 1})
	n.control("a", "dev_mine", 1)
	if found, height := look(n.both()); found || height != 3 {
		t.Errorf("before it is sent: %v at %d", found, height)
	}
	if found, height := look(balanced); found || height != 0 {
		t.Errorf("one of two behind a URL is late: %v at %d", found, height)
	}
	n.control("b", "dev_setView", view{"fails": true})
	if found, height := look(n.both()); found || height != 0 {
		t.Errorf("one is away: %v at %d", found, height)
	}
	if err := n.both().Send(t.Context(), raw); err != nil {
		t.Fatal(err)
	}
	if found, _ := look(n.both()); !found {
		t.Error("one node has it")
	}
}
