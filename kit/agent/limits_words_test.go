package agent_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/kit/agent/life"
	"github.com/railkit/railkit/kit/signing/rule"
	"github.com/railkit/railkit/rest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// A limit that the signer knows has to have its words everywhere: in the API, in the Go SDK, which compares what is
// stamped with what was asked for, and on the passkey page.
func TestSigning_EveryLimitHasItsWords(t *testing.T) {
	for _, c := range []struct {
		signer reflect.Type
		others []reflect.Type
		page   string
	}{
		{reflect.TypeFor[wire.Rules](), []reflect.Type{reflect.TypeFor[rest.PolicyRules](),
			reflect.TypeFor[rule.RulesPatch]()}, "rules.js"},
		{reflect.TypeFor[wire.Delegation](), []reflect.Type{reflect.TypeFor[rest.Delegation]()}, "rules.js"},
		{reflect.TypeFor[wire.AgentLimits](), []reflect.Type{reflect.TypeFor[life.AgentLimitsView]()}, "agents.js"},
	} {
		page, err := os.ReadFile(filepath.Join("../../web/ceremony/page", c.page))
		if err != nil {
			t.Fatal(err)
		}
		for name := range members(c.signer) {
			for _, other := range c.others {
				if !members(other)[strings.TrimSuffix(name, "Ms")] { // the API writes times as ISO 8601
					t.Errorf("%s: %s has no member of that name", name, other)
				}
			}
			if name != "anyRequest" && !strings.Contains(string(page), name) { // the page goes by the key
				t.Errorf("%s: the passkey page has no words for it in %s", name, c.page)
			}
		}
	}
	given := members(reflect.TypeFor[railkit.AgentReach]())
	for name := range members(reflect.TypeFor[railkit.AgentBudget]()) {
		given[name] = true
	}
	for name := range members(reflect.TypeFor[wire.AgentLimits]()) {
		if !given[name] {
			t.Errorf("%s: the Go SDK cannot ask for it", name)
		}
	}
}

// members are the names in JSON of a type's fields.
func members(of reflect.Type) map[string]bool {
	all := map[string]bool{}
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			all[name] = true
		}
	}
	return all
}
