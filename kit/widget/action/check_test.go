package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/widget/action"
)

var sandbox = action.Rules{Networks: chain.Networks(chain.Sandbox), Local: true}

// whole has an action of every type.
const whole = `{"url":"https://app.example/tip","icon":"https://app.example/tip.png","title":"Tip jar ☕",
 "description":"Tips,\nand more","baseUrl":"https://api.example","actions":[
 {"type":"transfer","label":"Tip","chains":{"source":"fuji"},"to":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","amount":0.1},
 {"type":"blockchain","label":"Approve","chains":{"source":"base-sepolia"},
  "address":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","functionName":"approve",
  "abi":[{"type":"function","name":"approve","inputs":[{"name":"spender","type":"address"},{"name":"value","type":"uint256"}]}],
  "params":[{"name":"spender","type":"address","label":"Who","value":"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC","fixed":true},
            {"name":"value","type":"uint256","label":"How much","required":true}]},
 {"type":"dynamic","label":"Swap","chains":{"source":"sepolia"},"path":"/v1/swap?x=1",
  "params":[{"name":"pay","type":"select","label":"With","options":[{"label":"USDC","value":"usdc"}]}]},
 {"type":"flow","label":"Ask","initialActionId":"a","actions":[
  {"type":"decision","id":"a","label":"Ask","title":"Sure?","options":[{"label":"Yes","value":"y","nextActionId":"b"}]},
  {"type":"http","id":"b","label":"Tell","path":"https://api.example/t","method":"POST",
   "nextActions":[{"actionId":"c","conditions":[{"field":"a","operator":"eq","value":"y"}]}]},
  {"type":"completion","id":"c","label":"Done","message":"Thank you","status":"success"}]}]}`

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

// What a widget could be harmed by is refused, and the error names the member.
func TestWidget_HostileMetadata(t *testing.T) {
	for name, c := range map[string]struct{ old, new, field string }{
		"a script for a URL":      {`https://app.example/tip"`, `javascript:alert(1)"`, "url"},
		"a page for an image":     {`https://app.example/tip.png`, `data:text/html,x`, "icon"},
		"http":                    {`https://api.example",`, `http://api.example",`, "baseUrl"},
		"another machine's http":  {`https://api.example",`, `http://10.0.0.1",`, "baseUrl"},
		"a user in a URL":         {`https://api.example",`, `https://a@api.example",`, "baseUrl"},
		"a look-alike host":       {`https://api.example",`, `https://аpi.example",`, "baseUrl"},
		"text that turns around":  {`Tip jar`, "Tip \u202ejar", "title"},
		"a character without ink": {`Tip jar`, "Tip\u200bjar", "title"},
		"lines in a title":        {`Tip jar`, `Tip\njar`, "title"},
		"a long title":            {`Tip jar`, strings.Repeat("x", 101), "title"},
		"no title":                {`Tip jar ☕`, ` `, "title"},
		"a member of a browser":   {`"label":"Tip",`, `"label":"Tip","onclick":"x",`, "metadata"},
		"HTML":                    {`"type":"transfer"`, `"type":"html"`, "actions[0].type"},
		"a step as a button":      {`"type":"transfer"`, `"type":"completion"`, "actions[0].type"},
		"a mistyped address":      {`17dc79C8`, `17dc79c8`, "actions[0].to"},
		"an address of Solana": {`0x70997970C51812dc3A010C7d01b50e0d17dc79C8`,
			`9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM`,
			"actions[0].to"},
		"no network": {`"chains":{"source":"fuji"},`, ``, "actions[0].chains"},
		"a mainnet":  {`"source":"fuji"`, `"source":"avalanche"`, "actions[0].chains.source"},
		"to its own network": {`"source":"fuji"`, `"source":"fuji","destination":"43113"`,
			"actions[0].chains.destination"},
		"nothing":           {`0.1}`, `0.0}`, "actions[0].amount"},
		"an inexact double": {`0.1}`, `0.1234567890123456}`, "actions[0].amount"},
		"less than nothing": {`0.1}`, `-1}`, "actions[0].amount"},
		"another member":    {`"amount":0.1`, `"path":"/x"`, "actions[0].path"},
		"a fixed param of nobody": {`"value":"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC","fixed":true`, `"fixed":true`,
			"actions[1].params[0].value"},
		"a mistyped param": {`FA4293BC"`, `FA4293bc"`, "actions[1].params[0].value"},
		"a param of no function": {`"name":"value","type":"uint256","label"`, `"name":"other","type":"uint256","label"`,
			"actions[1].params[1].name"},
		"an unknown type": {`"type":"uint256","label"`, `"type":"file","label"`, "actions[1].params[1].type"},
		"a function of no ABI": {`"functionName":"approve"`, `"functionName":"transfer"`,
			"actions[1].functionName"},
		"two functions": {`"abi":[`, `"abi":[{"type":"function","name":"approve","inputs":[]},`,
			"actions[1].functionName"},
		"an object for a value": {`"value":"usdc"`, `"value":{"a":1}`, "actions[2].params[0].options[0].value"},
		"a path elsewhere":      {`"/v1/swap?x=1"`, `"//evil.example/"`, "actions[2].path"},
		"a path above":          {`"/v1/swap?x=1"`, `"/v1/../swap"`, "actions[2].path"},
		"a path of nothing":     {`"baseUrl":"https://api.example",`, ``, "actions[2].path"},
		"a step that is not": {`"nextActionId":"b"`, `"nextActionId":"z"`,
			"actions[3].actions[0].options[0].nextActionId"},
		"a next step that is not": {`"actionId":"c"`, `"actionId":"z"`,
			"actions[3].actions[1].nextActions[0].actionId"},
		"no first step":       {`"initialActionId":"a"`, `"initialActionId":"z"`, "actions[3].initialActionId"},
		"two steps of one id": {`"id":"b"`, `"id":"a"`, "actions[3].actions[1].id"},
		"a flow in a flow":    {`"type":"http"`, `"type":"flow"`, "actions[3].actions[1].type"},
		"an unknown operator": {`"operator":"eq"`, `"operator":"eval"`,
			"actions[3].actions[1].nextActions[0].conditions[0].operator"},
		"two values": {`]}]}`, `]}]}{}`, "metadata"},
	} {
		if strings.Count(whole, c.old) == 0 {
			t.Fatalf("%s: nothing is replaced", name)
		}
		i := strings.LastIndex(whole, c.old)
		if first := strings.Index(whole, c.old); c.old != `]}]}` {
			i = first
		}
		raw := whole[:i] + c.new + whole[i+len(c.old):]
		_, err := sandbox.Read([]byte(raw))
		f, ok := fault.As(err)
		if !ok || !strings.Contains(f.Message, c.field+" ") {
			t.Errorf("%s: %v, not of %s", name, err, c.field)
		}
	}
	if _, err := sandbox.Read([]byte(strings.Repeat(" ", 65<<10) + whole)); err == nil {
		t.Error("more than 64 KiB were read")
	}
	local := strings.Replace(whole, `https://api.example",`, `http://127.0.0.1:8080",`, 1)
	if _, err := sandbox.Read([]byte(local)); err != nil {
		t.Errorf("this machine, in the sandbox: %v", err)
	}
	if _, err := (action.Rules{Networks: sandbox.Networks}).Read([]byte(local)); err == nil {
		t.Error("this machine, in production")
	}
}

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
	trade := action.Trade{Protocol: "lfj", At: action.Place{Name: "fuji"}, From: "USDC", To: "native", Slippage: "0.5"}
	if m, err = b.Swap(action.Texts{URL: "https://app.example/a"}, trade); err != nil ||
		m.Title != "Swap USDC for AVAX" ||
		m.BaseURL != "https://app.example" || m.Actions[0].Params[5].Value != json.Number("0.5") {
		t.Errorf("%+v, %v", m, err)
	}
	with := func(change func(*action.Trade)) func() (action.Metadata, error) {
		other := trade
		change(&other)
		return func() (action.Metadata, error) { return b.Swap(texts, other) }
	}
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
		"chainName":          with(func(x *action.Trade) { x.At.Name = "avalanche" }),
		"protocol":           with(func(x *action.Trade) { x.Protocol = "uniswap" }),
		"routerAddress":      with(func(x *action.Trade) { x.Router = ana }),
		"fromToken":          with(func(x *action.Trade) { x.From = ana }),
		"toToken":            with(func(x *action.Trade) { x.To = "USDC" }),
		"slippageTolerance":  with(func(x *action.Trade) { x.Slippage = "1e3" }),
		"url ":               func() (action.Metadata, error) { return b.Swap(action.Texts{}, trade) },
		"destinationChainId": func() (action.Metadata, error) { return b.Crosschain(texts, "Send", here) },
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
