package decide

import (
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/enclave/policy"
	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/toychain"
)

func TestMain(m *testing.M) {
	families.Add(toychain.Family{})
	os.Exit(m.Run())
}

// twoFamilies is a club whose wallet also has an account on two networks of another family.
func twoFamilies(t *testing.T) (c *club, toy string) {
	t.Helper()
	c = newClub(t, "ann")
	second := toychain.Network()
	second.Slug, second.Name, second.Cluster = "toytwo", "Toynet Two", "toynettwo"
	c.Networks = append(c.Networks, toychain.Network(), second)
	toy = toychain.AddressOf("ann")
	c.apply(Event{Kind: EventAccounts, OrganizationID: c.org, Accounts: []wire.Account{{
		WalletID: c.wallet, Address: toy, AddressFormat: toychain.Family{}.Form().AddressFormat,
	}}})
	return c, toy
}

func intentOn(network, id, from, to string) wire.SignIntentParams {
	return wire.SignIntentParams{
		SignWith: from, Chain: network, ChainID: id, To: to, Value: "1", Data: "0x", GasLimit: "21000",
		MaxTotalFee: "210000",
	}
}

// judgePriced judges ann's body with a fee and a nonce floor that its network would take.
func (c *club) judgePriced(r Request) (Decision, error) {
	id := encode([]byte("ann"))
	key, _ := c.Credential(id)
	return c.Decide(Submission{Request: r, Signer: &Signer{CredentialID: id, Key: key}, Volatile: wire.Volatile{
		MaxFeePerGas: "1", MaxPriorityFeePerGas: "1", NonceFloor: "0",
	}}, c.now)
}

// An account signs on networks of its own family only: its key may mean another account elsewhere.
func TestSigning_E01_AccountsStayInTheirFamily(t *testing.T) {
	c, toy := twoFamilies(t)
	to := toychain.AddressOf("bob")
	tx, err := toychain.Family{}.Assemble(toychain.Network(), chain.Intent{
		From: toy, Call: chain.Call{To: to, Value: big.NewInt(1)}, Gas: 1000,
	}, 0, chain.Fee{Max: big.NewInt(1), Priority: big.NewInt(1)})
	if err != nil {
		t.Fatal(err)
	}
	bytes := wire.SignTransactionParams{
		SignWith: toy, Type: toychain.Family{}.TransactionType(), ChainID: "toynet",
		UnsignedTransaction: chain.Hex(tx.Unsigned),
	}
	own := intentOn("toy", "toynet", toy, to)
	otherCluster, otherType, otherKey := bytes, bytes, bytes
	otherCluster.ChainID = "toynettwo"
	otherType.Type = evm.Family{}.TransactionType()
	otherKey.SignWith = c.address
	for name, r := range map[string]Request{
		"an EVM key on the toy network": c.body(wire.SignIntent, intentOn("toy", "toynet", c.address, c.address)),
		"a toy key on base":             c.body(wire.SignIntent, intentOn("base", "84532", toy, to)),
		"an EVM payee on the toy one":   c.body(wire.SignIntent, intentOn("toy", "toynet", toy, c.address)),
		"another toy network":           c.body(wire.SignIntent, intentOn("toy", "toynettwo", toy, to)),
		"no name of the network":        c.body(wire.SignIntent, intentOn("toy", "", toy, to)),
		"bytes of another network":      c.body(wire.SignTransaction, otherCluster),
		"bytes as those of EVM":         c.body(wire.SignTransaction, otherType),
		"toy bytes with an EVM key":     c.body(wire.SignTransaction, otherKey),
	} {
		if d, err := c.judgePriced(r); !errors.Is(err, refusal.ErrBody) {
			t.Errorf("%s: %+v, %v", name, d.Event.Transaction, err)
		}
	}
	for name, r := range map[string]Request{
		"its own bytes": c.body(wire.SignTransaction, bytes), "its own intent": c.body(wire.SignIntent, own),
	} {
		if d, err := c.judgePriced(r); err != nil || d.Event.Transaction == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each network counts the nonces of an address for itself, also where none has a chain id.
func TestSigning_E02_NoncesAreOfOneNetwork(t *testing.T) {
	c, toy := twoFamilies(t)
	for i, n := range []struct{ slug, id string }{{"toy", "toynet"}, {"toytwo", "toynettwo"}, {"toy", "toynet"}} {
		d, err := c.judgePriced(c.body(wire.SignIntent, intentOn(n.slug, n.id, toy, toychain.AddressOf("bob"))))
		if err != nil {
			t.Fatal(err)
		}
		o := d.Event.Transaction
		if want := uint64(i / 2); o == nil || o.Nonce != want || o.Kind != toychain.Kind || o.Chain != n.slug {
			t.Fatalf("%d: %+v, want nonce %d", i, o, want)
		}
		c.apply(d.Event)
		c.now = c.now.Add(time.Second)
	}
}

// naive signs texts as they are, so that one may be the bytes of a transaction.
type naive struct {
	toychain.Family
	payload []byte
}

func (n naive) ReadMessage(_ []chain.Network, _, _, text string) (chain.Message, error) {
	return chain.Message{Payload: n.payload, Text: text}, nil
}

// No message of an ed25519 key is a transaction, also where its family forgets to tell them apart.
func TestSigning_E12_MessageIsNoTransaction(t *testing.T) {
	c, toy := twoFamilies(t)
	tx, err := toychain.Family{}.Assemble(toychain.Network(), chain.Intent{
		From: toy, Call: chain.Call{To: toy, Value: big.NewInt(1)}, Gas: 1000,
	}, 0, chain.Fee{Max: big.NewInt(1), Priority: big.NewInt(1)})
	if err != nil {
		t.Fatal(err)
	}
	say := wire.SignMessageParams{SignWith: toy, Type: wire.MessageText, Payload: "hello"}
	as := func(f chain.Family) {
		c.organizations[c.org].accounts[toy] = account{Account: wire.Account{Address: toy}, family: f}
	}
	as(naive{payload: tx.Payload})
	c.refused("a transaction", refusal.ErrBody, "ann", c.body(wire.SignMessage, say))
	as(naive{payload: []byte("hello")})
	c.must(EventMessage, "ann", c.body(wire.SignMessage, say))
}

// A contract that a policy allows is one of its network's family: else the rule would never match, and nobody be told.
func TestSigning_E08_AllowedContractIsOfItsNetwork(t *testing.T) {
	c, toy := twoFamilies(t)
	rules := func(address string) wire.Rules {
		return wire.Rules{AllowedContracts: []wire.AllowedContract{
			{Chain: "toy", Address: address, Selectors: []string{"a"}},
		}}
	}
	if err := policy.Validate(rules(toy), c.Networks, c.now); err != nil {
		t.Error(err)
	}
	if err := policy.Validate(rules(c.address), c.Networks, c.now); err == nil ||
		!strings.Contains(err.Error(), "is not one of Toynet") {
		t.Errorf("an EVM contract on the toy network: %v", err)
	}
}

// One address cannot be an account of two families: rules and nonces of one would be looked up for the other.
func TestSigning_E01_OneAddressOneFamily(t *testing.T) {
	c, toy := twoFamilies(t)
	err := c.organizations[c.org].addAccount(wire.Account{Address: toy, AddressFormat: "ADDRESS_FORMAT_ETHEREUM"})
	if err == nil {
		t.Error("an address of the toy family became one of EVM")
	}
}
