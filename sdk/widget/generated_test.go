package widget

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/chain/solana"
)

var update = flag.Bool("update", false, "write src/networks.js and dist again")

// The networks of the component are those of the platform, and dist is what esbuild makes of src, byte for byte. Else a
// page would run what nobody has read.
func TestWidget_Generated(t *testing.T) {
	same(t, "src/networks.js", networks(t))
	same(t, "dist/railkit-widget.js", bundle(t))
}

// The modules' own tests run in Node.
func TestWidget_Modules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("the widget's tests need node: apt-get install nodejs, or .ci/install nodejs")
	}
	tests, err := filepath.Glob("test/*.test.js")
	if err != nil || len(tests) < 2 {
		t.Fatal(tests, err)
	}
	for _, pattern := range []string{"test/*.js", "src/*.js", "testdata/*.json"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil { // so that Go knows what this test rests on
				t.Fatal(err)
			}
		}
	}
	out, err := exec.Command(node, append([]string{"--test"}, tests...)...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "# fail 0") && !strings.Contains(string(out), "ℹ fail 0") {
		t.Errorf("node --test: %v\n%s", err, out)
	}
}

// same compares a file with what it should be, or writes it.
func same(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what its sources make (%v); run go generate ./sdk/widget", path, err)
	}
}

// bundle makes one file of src, whose texts are ASCII, so that no page's charset changes them.
func bundle(t *testing.T) []byte {
	t.Helper()
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/element.js"}, Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone, Platform: api.PlatformBrowser,
		Banner: map[string]string{"js": "// railkit-widget, made of sdk/widget/src. Apache-2.0."},
	})
	for _, e := range append(built.Errors, built.Warnings...) {
		t.Errorf("esbuild: %s: %+v", e.Text, e.Location)
	}
	if len(built.OutputFiles) != 1 {
		t.Fatalf("esbuild made %d files", len(built.OutputFiles))
	}
	return built.OutputFiles[0].Contents
}

// network is what the component knows of one.
type network struct {
	Slug     string   `json:"slug"`
	Kind     string   `json:"kind"`
	Title    string   `json:"title"`
	Names    []string `json:"names"`
	ChainID  uint64   `json:"chainId,omitempty"`
	Cluster  string   `json:"cluster,omitempty"`
	Typed    string   `json:"typed"` // how an address is written
	Native   coin     `json:"native"`
	Tokens   []coin   `json:"tokens"`
	Explorer string   `json:"explorer,omitempty"`
}

type coin struct {
	Symbol   string `json:"symbol"`
	Address  string `json:"address,omitempty"`
	Decimals int    `json:"decimals"`
}

func coinOf(t chain.Token) coin { return coin{t.Symbol, t.Address, t.Decimals} }

// networks writes the module networks.js.
func networks(t *testing.T) []byte {
	t.Helper()
	out := []byte("// Generated from the networks of the package chain by go generate ./sdk/widget. Do not edit.\n")
	raw, err := json.MarshalIndent(solana.Programs(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	out = fmt.Appendf(out, "\nexport const programs = %s;\n", raw)
	for _, env := range []chain.Environment{chain.Sandbox, chain.Production} {
		var all []network
		for _, n := range chain.Networks(env) {
			family, known := families.Of(n.Kind)
			if !known {
				t.Fatal(n.Kind)
			}
			one := network{
				Slug: n.Slug, Kind: string(n.Kind), Title: n.Name, Names: n.Names(), ChainID: n.ChainID,
				Cluster: n.Cluster, Typed: family.Form().Typed, Native: coinOf(n.Native), Explorer: n.Explorer,
			}
			for _, token := range n.Tokens {
				one.Tokens = append(one.Tokens, coinOf(token))
			}
			all = append(all, one)
		}
		raw, err := json.MarshalIndent(all, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		out = fmt.Appendf(out, "\nexport const %s = %s;\n", env, raw)
	}
	return out
}
