package walk_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/test/walk"
)

// networkNames are how a call names a network, or somebody or something on one.
var networkNames = []string{
	"chain", "chainId", "network", "cluster", "signWith", "signedTransaction", "replaces", "chainName", "fromChain",
	"sourceChainId",
}

// other is a network of another family than EVM.
type other struct {
	kind   chain.Kind
	slug   string
	number int // what lists of tokens call it where they need a number. No network here has it as chain id
}

var others = []other{{chain.Solana, "solana", 103}, {chain.Tron, "tron", 3448148188}}

// onOthers holds the list of calls by family against the document, and makes each call that does nothing on a family
// there: it is refused, and never by a fault of ours. Those that work there are made by kit/signing.
func (s *stage) onOthers(t *testing.T, doc document) {
	listed := map[string]api.Call{}
	for _, c := range api.Calls {
		listed[c.Operation] = c
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if call := strings.ToUpper(method) + " " + path; doc.namesNetwork(op) {
				c, ok := listed[call]
				if delete(listed, call); !ok {
					t.Errorf("%s names a network, and is not in api.Calls", call)
				}
				for _, at := range others {
					if c.Not[at.kind] != "" {
						s.refuses(t, doc, call, op, at)
					}
				}
			}
		}
	}
	for call := range listed {
		t.Errorf("api.Calls has %s, which names no network", call)
	}
}

func (d document) namesNetwork(op operation) bool {
	for _, p := range op.Parameters {
		if slices.Contains(networkNames, p.Name) {
			return true
		}
	}
	for name := range d.body(op).Properties {
		if slices.Contains(networkNames, name) {
			return true
		}
	}
	return false
}

// body is the schema of what an operation takes.
func (d document) body(op operation) schema {
	s := op.RequestBody.Content["application/json"].Schema
	if ref, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[ref]
	}
	return s
}

// refuses makes a request that is right but for its network, and wants an answer that is about the network. A
// payout is refused for what it has to have before, such as a withdrawal address, which the network does not give.
func (s *stage) refuses(t *testing.T, doc document, call string, op operation, at other) {
	t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r := walk.Request{Method: method, Path: path, Authorization: "ApiKey " + s.own.Key}
	for _, makes := range []map[string]func(*walk.World) walk.Request{walk.Mutations, walk.Reads} {
		if m, ok := makes[op.OperationID]; ok {
			r = m(s.own)
		}
	}
	r.Path, r.Body = at.query(at.place(r.Path, path), op.Parameters), at.body(t, r.Body, doc.body(op))
	got := r.Send(s.own)
	details, _ := got.Field("details").(map[string]any)
	about := []any{details["field"], got.Field("error")}
	says := slices.ContainsFunc(aboutNetworks, func(word string) bool { return slices.Contains(about, any(word)) })
	if got.Status < 400 || got.Status >= 500 || !says && !strings.HasPrefix(path, "/v1/payout/") {
		t.Errorf("%s on %s: %s\n%s", call, at.slug, brief(got), r.Body)
	}
}

// aboutNetworks are fields that name a network, and the codes that say by themselves that it is the network.
var aboutNetworks = append([]string{
	"chain_not_supported", "pair_unsupported", "paymentRequirement.network",
	"protocol", // of a list of tokens, which the network does not have
}, networkNames...)

// example is a value of the document. Of what has none an empty object is as wrong as anything.
func (s schema) example() any {
	if len(s.Examples) == 0 {
		return map[string]any{}
	}
	return s.Examples[0]
}

// place puts the network where the path of a call has one.
func (at other) place(path, template string) string {
	segments := strings.Split(path, "/")
	for i, name := range strings.Split(template, "/") {
		if slices.Contains(networkNames, strings.Trim(name, "{}")) && name[0] == '{' {
			segments[i] = at.slug
		}
	}
	return strings.Join(segments, "/")
}

// query puts the network into the query, by the names that the call has for a network, and there what else it needs.
func (at other) query(path string, all []parameter) string {
	path, query, _ := strings.Cut(path, "?")
	q, _ := url.ParseQuery(query)
	for _, p := range all {
		switch {
		case p.In != "query":
		case slices.Contains(networkNames, p.Name) && p.Schema.number():
			q.Set(p.Name, strconv.Itoa(at.number))
		case slices.Contains(networkNames, p.Name):
			q.Set(p.Name, at.slug)
		case p.Required && !q.Has(p.Name):
			q.Set(p.Name, fmt.Sprint(p.Schema.example()))
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// body names the network in a body, by the names that the call has for a network, whatever it named before.
func (at other) body(t *testing.T, body string, s schema) string {
	t.Helper()
	members := map[string]any{}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range s.Required {
		if _, has := members[name]; !has {
			members[name] = s.Properties[name].example()
		}
	}
	if inner, has := members["paymentRequirement"].(map[string]any); has {
		inner["network"] = at.slug
	}
	named := false
	for _, name := range []string{"chain", "network", "cluster", "chainName", "fromChain"} {
		if _, has := s.Properties[name]; has {
			members[name], named = at.slug, true
		}
	}
	for _, name := range []string{"chainId", "sourceChainId"} {
		if delete(members, name); !named && s.Properties[name].number() {
			members[name] = at.number
		}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
