package walk_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/internal/test/walk"
)

// networkNames are how a call names a network, or somebody or something on one.
var networkNames = []string{
	"chain", "chainId", "network", "cluster", "signWith", "signedTransaction", "replaces",
}

// onSolana holds the list of calls by family against the document, and makes each call that does nothing on Solana
// there: it is refused, and never by a fault of ours. Those that work there are made by kit/signing.
func (s *stage) onSolana(t *testing.T, doc document) {
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
				} else if c.Solana != "" {
					s.refusesSolana(t, doc, call, op)
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

// refusesSolana makes a request that is right but for its network.
func (s *stage) refusesSolana(t *testing.T, doc document, call string, op operation) {
	t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r := walk.Request{Method: method, Path: path, Authorization: "ApiKey " + s.own.Key}
	for _, makes := range []map[string]func(*walk.World) walk.Request{walk.Mutations, walk.Reads} {
		if m, ok := makes[op.OperationID]; ok {
			r = m(s.own)
		}
	}
	r.Path, r.Body = elsewhere(r.Path, op.Parameters), moved(t, r.Body, doc.body(op).Properties)
	if got := r.Send(s.own); got.Status < 400 || got.Status >= 500 {
		t.Errorf("%s on Solana: %s\n%s", call, brief(got), r.Body)
	}
}

// elsewhere puts Solana into the query, by the name that the call has for a network; no network there has a chain id.
func elsewhere(path string, all []parameter) string {
	path, query, _ := strings.Cut(path, "?")
	q, _ := url.ParseQuery(query)
	for _, p := range all {
		if p.In == "query" && slices.Contains(networkNames, p.Name) {
			q.Set(p.Name, solanaFor(p.Name))
		}
	}
	return path + "?" + q.Encode()
}

func solanaFor(name string) string {
	if name == "chainId" {
		return "0"
	}
	return "solana"
}

// moved names Solana in a body, by the names that the call has for a network, whatever it named before.
func moved(t *testing.T, body string, properties map[string]schema) string {
	t.Helper()
	members := map[string]any{}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Fatal(err)
		}
	}
	delete(members, "chainId")
	for _, name := range []string{"chain", "network", "cluster"} {
		if _, has := properties[name]; has {
			members[name] = "solana"
		}
	}
	raw, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
