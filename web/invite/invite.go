// Package invite is the page on which a recipient enters the bank account that
// it wants to be paid to, and the one on which a member freezes an account that it
// was mailed of: plain files, served as they are in the tree. They ask for no
// passkey, and may not: browsers are told so.
package invite

import (
	"embed"
	"net/http"
	"path"
)

//go:embed page
var embedded embed.FS

// Path is where the page is. Its files are below it.
const Path = "/invite"

// policy lets the page load its own files, speak to its own origin, and nothing
// more: no inline script or style, no string that becomes script.
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
	"Permissions-Policy": "publickey-credentials-get=(), publickey-credentials-create=(), payment=(), " +
		"camera=(), microphone=(), geolocation=()",
	"Cache-Control": "no-store",
}

// types are spelled out: a system's own table may call a script something that
// browsers do not run.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Static serves the page at Path and its files below.
func Static() http.Handler {
	answers := http.NewServeMux()
	entries, err := embedded.ReadDir("page")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, e := range entries {
		at := Path + "/" + e.Name()
		switch e.Name() {
		case "index.html":
			at = Path
		case "freeze.html":
			at = Path + "/freeze"
		}
		answers.Handle("GET "+at, file(e.Name()))
	}
	return answers
}

func file(name string) http.Handler {
	content, err := embedded.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		_, _ = w.Write(content) // who went away needs no answer
	})
}
