package action

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/rest"
)

const (
	mostBytes   = 64 << 10
	mostActions = 4
	mostSteps   = 32
	mostDigits  = 15
)

// Rules are what metadata is held against.
type Rules struct {
	Networks []chain.Network // those of the environment
	Local    bool            // the sandbox: URLs of this machine are good as well, also by http
}

// RulesOf are those of an environment.
func RulesOf(environment chain.Environment) Rules {
	return Rules{Networks: chain.Networks(environment), Local: environment == chain.Sandbox}
}

// exactNumbers keeps the digits of a value that may be a number.
var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	number, err := d.ReadValue()
	*v = stdjson.Number(number)
	return err
}))

// Read reads metadata strictly: a member that this package does not know is refused, since nobody has checked what a
// widget makes of it. So is a name that is given twice, of which two readers may take two values.
func (r Rules) Read(raw []byte) (m Metadata, err error) {
	if len(raw) > mostBytes {
		return m, fault.Field("metadata", fmt.Sprintf("must be at most %d bytes", mostBytes))
	}
	if err := json.Unmarshal(raw, &m, json.RejectUnknownMembers(true), exactNumbers); err != nil {
		return m, fault.Field("metadata", "must be JSON of the known members").Because(err)
	}
	return m, r.Check(m)
}

// Check refuses metadata that a widget could be made to mislead by or to run something, and metadata that names what is
// not there. The error names the member, such as actions[0].to.
func (r Rules) Check(m Metadata) error {
	c := &check{rules: r}
	if c.all(m); c.field != "" {
		return fault.Field(c.field, c.constraint)
	}
	return nil
}

// check goes through metadata and keeps the first thing that is wrong.
type check struct {
	rules             Rules
	based             bool // paths may be relative
	field, constraint string
}

func (c *check) wrong(field, constraint string) {
	if c.field == "" {
		c.field, c.constraint = field, constraint
	}
}

func (c *check) all(m Metadata) {
	c.url("url", m.URL)
	c.url("icon", m.Icon)
	c.line("title", m.Title, true)
	c.text("description", m.Description, true)
	if c.based = m.BaseURL != ""; c.based {
		c.url("baseUrl", m.BaseURL)
	}
	if len(m.Actions) == 0 || len(m.Actions) > mostActions {
		c.wrong("actions", fmt.Sprintf("must be 1 to %d", mostActions))
	}
	for i, a := range m.Actions {
		c.action(fmt.Sprintf("actions[%d]", i), a, false)
	}
}

func (c *check) bounds(field string, n, most int) {
	if n > most {
		c.wrong(field, fmt.Sprintf("must be at most %d", most))
	}
}

// members are those that an action of each type has beside type, label and description.
var members = map[string]string{
	Transfer:   "chains to token amount",
	Blockchain: "chains address abi functionName params amount",
	HTTP:       "path method params",
	Dynamic:    "chains path params",
	Flow:       "initialActionId actions",
	Completion: "message status",
	Decision:   "title options",
}

// action checks one button, or one step of a flow. A flow holds no flow, and only a flow is completed or decides.
func (c *check) action(at string, a Action, step bool) {
	own, known := members[a.Type]
	if !known || step && a.Type == Flow || !step && (a.Type == Completion || a.Type == Decision) {
		c.wrong(at+".type", "is not a type of action here")
		return
	}
	allowed := strings.Fields("type label description " + own)
	if step {
		allowed = append(allowed, "id", "nextActions")
		c.word(at+".id", a.ID)
	}
	for _, name := range set(a) {
		if !slices.Contains(allowed, name) {
			c.wrong(at+"."+name, "is no member of an action of type "+a.Type)
		}
	}
	c.line(at+".label", a.Label, true)
	c.text(at+".description", a.Description, false)
	map[string]func(string, Action){
		Transfer: c.transfer, Blockchain: c.contract, HTTP: c.http, Dynamic: c.dynamic, Flow: c.flow,
		Completion: c.completion, Decision: c.decision,
	}[a.Type](at, a)
}

// set are the JSON names of an action's members that are not empty.
func set(a Action) (names []string) {
	v := reflect.ValueOf(a)
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); !v.Field(i).IsZero() {
			names = append(names, name)
		}
	}
	return names
}

func (c *check) transfer(at string, a Action) {
	n := c.source(at, a.Chains)
	to, coin := n, n.Native
	if a.Chains != nil && a.Chains.Destination != "" {
		to = c.crossing(at+".chains", n, a.Chains.Destination)
	}
	c.payee(at+".to", to, a.To)
	if a.Token != "" {
		coin = c.token(at+".token", n, a.Token)
	}
	c.amount(at+".amount", n, coin, a.To, a.Amount)
}

// crossing is the network where a payment arrives that leaves another one.
func (c *check) crossing(at string, from chain.Network, name string) chain.Network {
	const why = "nobody is known who carries a payment across between it and others"
	to := c.network(at+".destination", name)
	c.onEVM(at+".source", from, why)
	c.onEVM(at+".destination", to, why)
	if to.Slug == from.Slug {
		c.wrong(at+".destination", "must be another network than source")
	}
	return to
}

// amount refuses a number that a widget, whose numbers are doubles, reads as another one: 0.1234567890123456789 is
// shown as 0.12345678901234568. It also refuses one that no transaction of the network can pay.
func (c *check) amount(field string, n chain.Network, coin chain.Token, to string, amount rest.Number) {
	family, ok := families.Of(n.Kind)
	if amount == "" || !ok {
		return
	}
	digits := strings.TrimLeft(strings.ReplaceAll(string(amount), ".", ""), "0")
	if !amount.Plain(18) || digits == "" || len(digits) > mostDigits {
		c.wrong(field, "must be a number above 0 with at most 15 digits")
	}
	if coin.Symbol == "" {
		return // nobody here knows its decimals
	}
	units, err := chain.ParseUnits(string(amount), coin.Decimals)
	if err == nil {
		_, err = family.Transfer(coin, to, units)
	}
	if err != nil {
		c.wrong(field, fmt.Sprintf("must have at most %d decimals, and be no more than a transaction can pay",
			coin.Decimals))
	}
}

func (c *check) contract(at string, a Action) {
	n := c.source(at, a.Chains)
	c.onEVM(at+".chains.source", n, "elsewhere no contract is called by an abi")
	c.address(at+".address", n, a.Address)
	c.amount(at+".amount", n, n.Native, a.Address, a.Amount)
	c.word(at+".functionName", a.FunctionName) // the user reads it
	inputs, ok := inputsOf(a)
	if !ok {
		c.wrong(at+".functionName", "must be exactly one function of abi")
	}
	c.params(at, n, a.Params)
	for i, p := range a.Params {
		if !slices.Contains(inputs, p.Name) {
			c.wrong(fmt.Sprintf("%s.params[%d].name", at, i), "is no parameter of the function")
		}
	}
}

// inputsOf are the names of the parameters of the function that an action calls. One name for several functions could
// call another one than its text says.
func inputsOf(a Action) (names []string, ok bool) {
	var abi []struct {
		Type, Name string
		Inputs     []struct{ Name string }
	}
	if stdjson.Unmarshal(a.ABI, &abi) != nil || a.FunctionName == "" {
		return nil, false
	}
	found := 0
	for _, item := range abi {
		if item.Type == "function" && item.Name == a.FunctionName {
			found++
			for _, in := range item.Inputs {
				names = append(names, in.Name)
			}
		}
	}
	return names, found == 1
}

func (c *check) http(at string, a Action) {
	c.path(at+".path", a.Path)
	if a.Method != "" && !slices.Contains([]string{"GET", "POST", "PUT", "DELETE"}, a.Method) {
		c.wrong(at+".method", "must be GET, POST, PUT or DELETE")
	}
	c.params(at, chain.Network{}, a.Params)
}

func (c *check) dynamic(at string, a Action) {
	n := c.source(at, a.Chains)
	c.path(at+".path", a.Path)
	c.params(at, n, a.Params)
}

func (c *check) flow(at string, a Action) {
	c.bounds(at+".actions", len(a.Actions), mostSteps)
	ids := map[string]bool{}
	for i, step := range a.Actions {
		field := fmt.Sprintf("%s.actions[%d]", at, i)
		if ids[step.ID] {
			c.wrong(field+".id", "is the id of two steps")
		}
		ids[step.ID] = true
		c.action(field, step, true)
	}
	leads := func(field, id string) {
		if !ids[id] || id == "" {
			c.wrong(field, "is not the id of a step")
		}
	}
	leads(at+".initialActionId", a.InitialActionID)
	for i, step := range a.Actions {
		field := fmt.Sprintf("%s.actions[%d]", at, i)
		for j, next := range step.NextActions {
			leads(fmt.Sprintf("%s.nextActions[%d].actionId", field, j), next.ActionID)
			c.conditions(fmt.Sprintf("%s.nextActions[%d]", field, j), next.Conditions)
		}
		for j, o := range step.Options {
			leads(fmt.Sprintf("%s.options[%d].nextActionId", field, j), o.NextActionID)
		}
	}
}

func (c *check) conditions(at string, all []Condition) {
	for i, condition := range all {
		field := fmt.Sprintf("%s.conditions[%d]", at, i)
		c.word(field+".field", condition.Field)
		c.scalar(field+".value", condition.Value)
		if !slices.Contains([]string{"eq", "ne", "gt", "lt", "gte", "lte", "contains"}, condition.Operator) {
			c.wrong(field+".operator", "must be eq, ne, gt, lt, gte, lte or contains")
		}
	}
}

func (c *check) completion(at string, a Action) {
	c.text(at+".message", a.Message, true)
	if !slices.Contains([]string{"success", "error", "info"}, a.Status) {
		c.wrong(at+".status", "must be success, error or info")
	}
}

func (c *check) decision(at string, a Action) {
	c.line(at+".title", a.Title, true)
	c.options(at, a.Options)
}
