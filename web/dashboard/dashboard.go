// Package dashboard is the site on which members log in and run their workspace. Its source is the folder src, in
// TypeScript; dist is what browsers load, made of src and of the libraries in vendor by go generate. A build of
// Railkit needs neither Node nor the network for it.
//
// src/main.tsx is where to begin: session.ts keeps the login, api/call.ts calls the API, ui has the parts that all
// pages are made of, pages the pages.
package dashboard

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:generate go test . -run TestDashboard_Generated -update

//go:embed dist
var embedded embed.FS

// policy lets the page load its own files, call its own origin, and nothing more: no inline script or style, no
// string that becomes script, no form, no frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; worker-src 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// headers go with every file.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Frame-Options":              "DENY",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy": "publickey-credentials-get=(self), publickey-credentials-create=(self), payment=(), " +
		"camera=(), microphone=(), geolocation=()",
}

// types are spelled out: a system's own table may call a script something that browsers do not run.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handler is the dashboard's origin: the API below /v1, so that the page calls no other origin, and the site.
func Handler(api http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/v1/", api)
	mux.Handle("/", site())
	return mux
}

// site serves the files of dist by their names, and index.html for every path without a dot: the page's script knows
// which page that is. The names of all but index.html change with what is in them, so browsers may keep them.
func site() http.Handler {
	files, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // it is part of the program
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
			return
		}
		name, keep := strings.TrimPrefix(r.URL.Path, "/"), "public, max-age=31536000, immutable"
		if !strings.Contains(name, ".") || name == "index.html" {
			name, keep = "index.html", "no-cache"
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		w.Header().Set("Cache-Control", keep)
		w.Header().Set("Content-Type", types[path.Ext(name)])
		_, _ = w.Write(content) // who went away needs no answer
	})
}
