package dashboard

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/railkit/railkit/chain"
)

var update = flag.Bool("update", false, "write src/api/generated.ts and dist again")

// The types of the API are those of its document, and dist is what esbuild makes of src and vendor, byte for byte.
// Else a page would run what nobody has read.
func TestDashboard_Generated(t *testing.T) {
	document, err := os.ReadFile("../../api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	types, err := typescript(document)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "src/api/generated.ts", types)
	same(t, "src/api/networks.ts", networks(t))
	made := bundle(t)
	for name, content := range made {
		same(t, filepath.Join("dist", name), content)
	}
	there, err := os.ReadDir("dist")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range there {
		if _, ok := made[file.Name()]; ok {
			continue
		}
		if *update {
			if err := os.Remove(filepath.Join("dist", file.Name())); err != nil {
				t.Fatal(err)
			}
			continue
		}
		t.Errorf("dist/%s is made of nothing that is there", file.Name())
	}
}

// firstView is what a browser may load, compressed, before it shows the login: 60 kB.
const firstView = 60_000

func TestDashboard_FirstViewIsSmall(t *testing.T) {
	index, err := os.ReadFile("dist/index.html")
	if err != nil {
		t.Fatal(err)
	}
	total := compressed(t, index)
	for _, name := range loadedAtOnce(t, string(index)) {
		content, err := os.ReadFile(filepath.Join("dist", name))
		if err != nil {
			t.Fatal(err)
		}
		total += compressed(t, content)
	}
	t.Logf("%d bytes", total)
	if total > firstView {
		t.Errorf("the first view takes %d bytes, more than %d", total, firstView)
	}
}

// loadedAtOnce are the files that the page names, and those that its script imports before it runs.
func loadedAtOnce(t *testing.T, index string) []string {
	t.Helper()
	var names []string
	for _, part := range strings.Split(index, `"/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		names = append(names, name)
	}
	for n := 0; n < len(names); n++ {
		content, err := os.ReadFile(filepath.Join("dist", names[n]))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(content), `from"./`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func compressed(t *testing.T, content []byte) int {
	t.Helper()
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Len()
}

// networks writes what the pages know of the platform's networks.
func networks(t *testing.T) []byte {
	t.Helper()
	out := []byte("// Generated from the networks of the package chain by go generate ./web/dashboard. Do not edit.\n" +
		"export type Network = {\n\tslug: string; name: string; kind: string; coin: string; decimals: number;\n" +
		"\ttokens: { [address: string]: string };\n};\n" +
		"export const networks: { sandbox: Network[]; production: Network[] } = {\n")
	for _, env := range []chain.Environment{chain.Sandbox, chain.Production} {
		out = fmt.Appendf(out, "\t%s: [\n", env)
		for _, n := range chain.Networks(env) {
			out = fmt.Appendf(out, "\t\t{\n\t\t\tslug: %q, name: %q, kind: %q, coin: %q, decimals: %d,\n\t\t\ttokens: {\n",
				n.Slug, n.Name, n.Kind, n.Native.Symbol, n.Native.Decimals)
			for _, token := range n.Tokens {
				out = fmt.Appendf(out, "\t\t\t\t%q: %q,\n", token.Address, token.Symbol)
			}
			out = append(out, "\t\t\t},\n\t\t},\n"...)
		}
		out = append(out, "\t],\n"...)
	}
	return append(out, "};\n"...)
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
		t.Errorf("%s is not what its sources make (%v); run go generate ./web/dashboard", path, err)
	}
}

// libraries are where the imports of src lead to.
var libraries = map[string]string{
	"preact": "preact.mjs", "preact/hooks": "preact-hooks.mjs", "preact/jsx-runtime": "preact-jsx-runtime.mjs",
	"@preact/signals": "preact-signals.mjs", "@preact/signals-core": "preact-signals-core.mjs",
	"uplot": "uplot.mjs", "uqr": "uqr.mjs",
}

// resolve leads imports of libraries to their files in vendor.
var resolve = api.Plugin{Name: "vendor", Setup: func(b api.PluginBuild) {
	b.OnResolve(api.OnResolveOptions{Filter: `^[^./]`}, func(in api.OnResolveArgs) (api.OnResolveResult, error) {
		if in.Kind == api.ResolveEntryPoint {
			return api.OnResolveResult{}, nil
		}
		file, ok := libraries[in.Path]
		if !ok {
			return api.OnResolveResult{}, fmt.Errorf("%s is no library of vendor", in.Path)
		}
		path, err := filepath.Abs(filepath.Join("vendor", file))
		return api.OnResolveResult{Path: path}, err
	})
}}

// bundle makes the files of dist. A chunk of its own is what a page imports when it needs it.
func bundle(t *testing.T) map[string][]byte {
	t.Helper()
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{"src/main.tsx", "src/style.css"}, Bundle: true, Splitting: true,
		Format: api.FormatESModule, Target: api.ES2022, Platform: api.PlatformBrowser, Charset: api.CharsetUTF8,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, Outdir: "dist",
		EntryNames: "[name]-[hash]", ChunkNames: "[name]-[hash]", Plugins: []api.Plugin{resolve},
	})
	for _, e := range append(built.Errors, built.Warnings...) {
		t.Errorf("esbuild: %s: %+v", e.Text, e.Location)
	}
	index, err := os.ReadFile("src/index.html")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range built.OutputFiles {
		name := filepath.Base(f.Path)
		files[name] = f.Contents
		for _, entry := range []string{"main", "style"} {
			if strings.HasPrefix(name, entry+"-") {
				plain := entry + filepath.Ext(name)
				index = bytes.ReplaceAll(index, []byte(`"/`+plain+`"`), []byte(`"/`+name+`"`))
			}
		}
	}
	icon, err := os.ReadFile("src/icon.svg")
	if err != nil {
		t.Fatal(err)
	}
	files["index.html"], files["icon.svg"] = index, icon
	return files
}
