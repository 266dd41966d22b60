// Package ceremony is the page that asks for passkeys: plain files, served as
// they are in the tree, that check what the server shows against what the signer
// said. It is apart from every other page so that it can be read, hashed, and
// served from elsewhere.
package ceremony

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"

	chainpage "github.com/railkit/railkit/chain/page"
	solanapage "github.com/railkit/railkit/chain/solana/page"
	tronpage "github.com/railkit/railkit/chain/tron/page"
)

//go:embed page
var embedded embed.FS

// folders are where the page is, by where it is served. The parts of families have the paths of the tree.
var folders = map[string]fs.FS{
	"": below("page"), "chain/page/": chainpage.Files,
	"chain/solana/page/": solanapage.Files, "chain/tron/page/": tronpage.Files,
}

// Pin is what the page holds the signer against. It is the only thing that
// differs from one installation to the next, and is not part of the hash.
type Pin struct {
	IdentityKey string `json:"identityKey"` // P-256, compressed SEC1 hex
	RPID        string `json:"rpId"`
	Environment string `json:"environment"`
}

// pinFile is where the page finds its pin.
const pinFile = "/pin.json"

// policy lets the page load its own files, speak to its own origin, and nothing
// more: no inline script or style, no string that becomes script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; worker-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// headers go with every answer.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Frame-Options":              "DENY",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "publickey-credentials-get=(self), publickey-credentials-create=(self)",
	"Cache-Control":                "no-store",
}

// types are spelled out: a system's own table may call a script something that
// browsers do not run.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

// Static serves the page with its pin.
func Static(pin Pin) http.Handler {
	answers := http.NewServeMux()
	for name, content := range files() {
		answers.Handle("GET /"+name, fixed(types[path.Ext(name)], content))
	}
	answers.Handle("GET /{$}", fixed(types[".html"], files()[index]))
	text, err := json.Marshal(pin)
	if err != nil {
		panic(err) // three strings always encode
	}
	answers.Handle("GET "+pinFile, fixed(types[".json"], text))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		answers.ServeHTTP(w, r)
	})
}

const index = "index.html"

func fixed(kind string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(content) // who went away needs no answer
	})
}

// files are the page's, by name.
func files() map[string][]byte {
	return read(folders)
}

func read(folders map[string]fs.FS) map[string][]byte {
	all := map[string][]byte{}
	for at, from := range folders {
		err := fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			all[at+name], err = fs.ReadFile(from, name)
			return err
		})
		if err != nil {
			panic(err) // they are part of the program
		}
	}
	return all
}

func below(dir string) fs.FS {
	files, err := fs.Sub(embedded, dir)
	if err != nil {
		panic(err) // it is no path
	}
	return files
}
