package event_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/event"
)

// Each type is listed once, is documented with its data, and is about an object whose readers are known.
func TestCatalogue(t *testing.T) {
	everything := auth.Principal{
		Tenant: auth.Tenant{Modules: auth.AllModules, Verified: true}, Scopes: []auth.Scope{auth.Admin},
	}
	readable, err := event.Readable(everything, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[event.Type]bool{}
	for _, d := range event.Catalogue {
		if seen[d.Type] || d.Says == "" || reflect.TypeOf(d.Data).Kind() != reflect.Struct {
			t.Errorf("%s is listed twice, or without what it is", d.Type)
		}
		seen[d.Type] = true
		if !slices.Contains(readable, d.Type) {
			t.Errorf("nobody may read %s", d.Type)
		}
	}
}

var (
	constant = regexp.MustCompile(`(?m)^\t(\w+)\s+Type = "([a-z0-9_.]+)"`)
	ofState  = regexp.MustCompile(`event\.Type\("(\w+)\." ?\+ ?`)
)

// Each type of the catalogue is told by the store, and what the store tells is in the catalogue: a constant by its
// name, or the states of an object.
func TestCatalogueIsTold(t *testing.T) {
	source, err := os.ReadFile("catalogue.go")
	if err != nil {
		t.Fatal(err)
	}
	told := storeSource(t) + string(source)[strings.Index(string(source), "var Audited"):]
	states := map[string]bool{}
	for _, m := range ofState.FindAllStringSubmatch(told, -1) {
		states[m[1]] = true
	}
	for _, m := range constant.FindAllStringSubmatch(string(source), -1) {
		kind := event.Type(m[2])
		if !slices.ContainsFunc(event.Catalogue, func(d event.Definition) bool { return d.Type == kind }) {
			t.Errorf("%s is not in the catalogue", m[2])
		}
		named := regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(told)
		if !named && !states[kind.Object()] {
			t.Errorf("nothing tells %s", m[2])
		}
	}
}

func storeSource(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../store/*/*.go")
	if err != nil || len(files) < 30 {
		t.Fatal(err, len(files))
	}
	var all strings.Builder
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(raw)
	}
	return all.String()
}

// Who may not read an object is told of nothing about it.
func TestReadable(t *testing.T) {
	all := auth.Tenant{Modules: auth.AllModules, Verified: true}
	with := func(scopes ...auth.Scope) auth.Principal { return auth.Principal{Tenant: all, Scopes: scopes} }
	unverified, unmodular := with(auth.Integrator), with(auth.Integrator)
	unverified.Verified, unmodular.Modules = false, nil
	for name, c := range map[string]struct {
		who  auth.Principal
		may  []string
		not  []string
		none bool
	}{
		"a key": {
			who: with(auth.Integrator), may: []string{"order.*", "agent.*"}, not: []string{"api_key.*"},
		},
		"a reader": {
			who: with(auth.IntegratorRead), may: []string{"transaction.*"}, not: []string{"member.*"},
		},
		"a writer":   {who: with(auth.IntegratorWrite), none: true},
		"an auditor": {who: with(auth.AuditRead), none: true},
		"a manager":  {who: with(auth.RoleManager.Scopes()...), may: []string{"member.*", "workspace.*"}},
		"agents": {
			who: with(auth.Agent), may: []string{"agent.*", "kill_switch.*"}, not: []string{"order.*"},
		},
		"an agent": {
			who: with(auth.OwnAgent), may: []string{"x402_payment.*"}, not: []string{"kill_switch.*"},
		},
		"no KYB":             {who: unverified, may: []string{"wallet.*"}, not: []string{"order.*", "recipient.*"}},
		"no modules":         {who: unmodular, may: []string{"agent.*"}, not: []string{"wallet.*", "order.*"}},
		"the operator's key": {who: with(auth.Internal), may: []string{"api_key.*", "order.*"}},
	} {
		for _, types := range c.may {
			if got, err := event.Readable(c.who, []string{types}); err != nil || len(got) == 0 {
				t.Errorf("%s reads no %s: %v", name, types, err)
			}
		}
		for _, types := range c.not {
			if got, err := event.Readable(c.who, []string{types}); err != nil || len(got) != 0 {
				t.Errorf("%s reads %v, %v", name, got, err)
			}
		}
		if got, _ := event.Readable(c.who, nil); c.none && len(got) > 0 {
			t.Errorf("%s reads %v", name, got)
		}
	}
	if _, err := event.Readable(with(auth.Integrator), []string{"order.unknown"}); err == nil {
		t.Error("an unknown type was taken")
	}
}
