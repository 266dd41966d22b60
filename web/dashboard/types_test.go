package dashboard_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/railkit/railkit/internal/test/npmtest"
)

// packages are TypeScript and what the pages are made of, as npm has them.
func packages(t *testing.T) string {
	t.Helper()
	contents := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "npm", name))
		if err != nil {
			t.Fatal(err)
		}
		contents[name] = raw
	}
	dir, err := npmtest.Folder(contents)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "node_modules")
}

// The pages are what TypeScript agrees to, against the types of the API's document.
func TestDashboard_Types(t *testing.T) {
	modules := packages(t)
	dir := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// The compiler looks for packages in the folders above the sources, and finds them beside this copy.
	if err := os.CopyFS(filepath.Join(dir, "src"), os.DirFS("src")); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		modules: "node_modules", filepath.Join(here, "tsconfig.json"): "tsconfig.json",
		filepath.Join(filepath.Dir(here), "ceremony"): "ceremony",
	} {
		if err := os.Symlink(from, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("node", filepath.Join(modules, "typescript", "bin", "tsc"), "-p", dir).CombinedOutput()
	if err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}

// What is in vendor is what npm has, byte for byte: nobody changed a library here.
func TestDashboard_VendorIsWhatNpmHas(t *testing.T) {
	modules := packages(t)
	for _, l := range readLock(t) {
		for file, path := range l.Files {
			want, err := os.ReadFile(filepath.Join(modules, l.Package, path))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join("vendor", file)); err != nil || string(got) != string(want) {
				t.Errorf("vendor/%s is not %s of %s %s (%v)", file, path, l.Package, l.Version, err)
			}
		}
	}
	known := map[string]bool{"lock.json": true, "LICENSES.txt": true}
	for _, l := range readLock(t) {
		for file := range l.Files {
			known[file] = true
		}
	}
	err := fs.WalkDir(os.DirFS("vendor"), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !known[path] {
			t.Errorf("vendor/%s is in no package of lock.json", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// library is an entry of vendor/lock.json.
type library struct {
	Package, Version, License, Integrity string
	Files                                map[string]string // of vendor, to their paths in the package
}

// readLock reads which libraries are in vendor, and holds them to the packages that the tests fetch: npm checks those
// against the same hashes.
func readLock(t *testing.T) []library {
	t.Helper()
	var all []library
	var fetched struct {
		Packages map[string]struct{ Version, Integrity, License string }
	}
	for name, into := range map[string]any{"vendor/lock.json": &all, "testdata/npm/package-lock.json": &fetched} {
		raw, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(raw, into)
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for _, l := range all {
		if p := fetched.Packages["node_modules/"+l.Package]; p.Version != l.Version || p.Integrity != l.Integrity ||
			p.License != l.License {
			t.Errorf("vendor/lock.json says %+v, and package-lock.json %+v", l, p)
		}
	}
	return all
}
