package action_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/action"
)

var sandbox = action.Rules{Networks: chain.Networks(chain.Sandbox), Local: true}

// whole has an action of every type.
var whole = readTestdata("whole.json")

// readTestdata reads a file that the web component's own tests read too.
func readTestdata(name string) string {
	raw, err := os.ReadFile("../../../sdk/widget/testdata/" + name)
	if err != nil {
		panic(err) // it is part of the tree
	}
	return strings.TrimSpace(string(raw))
}

func TestWidget_WholeMetadata(t *testing.T) {
	m, err := sandbox.Read([]byte(whole))
	if err != nil || len(m.Actions) != 4 {
		t.Fatal(m, err)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := sandbox.Read(raw); err != nil || again.Actions[0].Amount != "0.1" {
		t.Errorf("%s: %v", raw, err)
	}
}

// vector is a change of whole, and the member that is wrong then; "" is none.
type vector struct {
	Name, Old, New, Field string
	Production            bool
}

// What a widget could be harmed by is refused, and the error names the member. sdk/widget holds the web component to
// the same vectors.
func TestWidget_MetadataVectors(t *testing.T) {
	var all []vector
	if err := json.Unmarshal([]byte(readTestdata("cases.json")), &all); err != nil || len(all) < 50 {
		t.Fatal(len(all), err)
	}
	for _, v := range all {
		rules := sandbox
		if v.Production {
			rules = action.RulesOf(chain.Production)
		}
		if !strings.Contains(whole, v.Old) {
			t.Fatalf("%s: nothing is replaced", v.Name)
		}
		_, err := rules.Read([]byte(strings.Replace(whole, v.Old, v.New, 1)))
		if v.Field == "" {
			if err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
			continue
		}
		if f, ok := fault.As(err); !ok || !strings.Contains(f.Message, v.Field+" ") {
			t.Errorf("%s: %v, not of %s", v.Name, err, v.Field)
		}
	}
	if _, err := sandbox.Read([]byte(strings.Repeat(" ", 65<<10) + whole)); err == nil {
		t.Error("more than 64 KiB were read")
	}
}

const (
	burns = "1nc1nerator11111111111111111111111111111111"
	fine  = "0.0000000001" // less than a lamport
)

// What the builders make keeps to the rules, and what is wrong is named as in their bodies.
func TestWidget_Builders(t *testing.T) {
	b := action.Builder{Rules: sandbox}
	texts := action.Texts{Title: "Tip", Description: "A tip", URL: "https://app.example/tip"}
	ana := "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	m, err := b.TransferNative(texts, action.Place{ID: 43113}, ana, "0.5")
	if a := m.Actions; err != nil || a[0].Label != "Send AVAX" || a[0].Chains.Source != "fuji" ||
		m.Icon != "https://app.example/favicon.ico" {
		t.Errorf("%+v, %v", m, err)
	}
	x := action.Crossing{Source: action.Place{Name: "fuji"}, Destination: action.Place{ID: 84532}, To: ana}
	if m, err = b.Crosschain(texts, "Send", x); err != nil || m.Actions[0].Chains.Destination != "base-sepolia" {
		t.Errorf("%+v, %v", m, err)
	}
	bob, solana := "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM", action.Place{Name: "solana"}
	m, err = b.TransferNative(texts, solana, bob, "0.000000001")
	if a := m.Actions; err != nil || a[0].Label != "Send SOL" || a[0].Chains.Source != "solana" || a[0].To != bob ||
		a[0].Token != "" {
		t.Errorf("%+v, %v", m, err)
	}
	from, to := x, x
	from.Source, to.Destination = solana, solana
	trade := action.Trade{Protocol: "lfj", At: solana, From: "USDC", To: "native", Slippage: "0.5"}
	here := x
	here.Destination = here.Source
	bad, fuji, mainnet, nowhere := texts, action.Place{Name: "fuji"}, action.Place{ID: 43114}, action.Place{}
	bad.URL = "javascript:x"
	for field, make := range map[string]func() (action.Metadata, error){
		"chainId":            func() (action.Metadata, error) { return b.TransferNative(texts, mainnet, ana, "") },
		"chainId ":           func() (action.Metadata, error) { return b.TransferNative(texts, nowhere, ana, "") },
		"address":            func() (action.Metadata, error) { return b.TransferNative(texts, fuji, ana[1:], "") },
		"amount":             func() (action.Metadata, error) { return b.TransferNative(texts, fuji, ana, "1e3") },
		"url":                func() (action.Metadata, error) { return b.TransferNative(bad, fuji, ana, "") },
		"destinationChainId": func() (action.Metadata, error) { return b.Crosschain(texts, "Send", here) },

		"address ":            func() (action.Metadata, error) { return b.TransferNative(texts, solana, ana, "") },
		"address  ":           func() (action.Metadata, error) { return b.TransferNative(texts, solana, burns, "") },
		"amount ":             func() (action.Metadata, error) { return b.TransferNative(texts, solana, bob, fine) },
		"sourceChainId":       func() (action.Metadata, error) { return b.Crosschain(texts, "Send", from) },
		"destinationChainId ": func() (action.Metadata, error) { return b.Crosschain(texts, "Send", to) },
		"chainName":           func() (action.Metadata, error) { return b.Swap(texts, trade) },
	} {
		_, err := make()
		if f, ok := fault.As(err); !ok || !strings.Contains(f.Message, strings.TrimSpace(field)+" ") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// FuzzMetadata holds that whatever is read can be read again and says the same.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := sandbox.Read(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sandbox.Read(again); err != nil {
			t.Errorf("%s was read, and as %s it is refused: %v", raw, again, err)
		}
	})
}
