// Package gallery is a page of the sandbox that shows widgets: some that pay, and some that are refused. It is made of
// plain files and of the web component as sdk/widget has it, under headers that let it load its own files only.
package gallery

import (
	"bytes"
	"embed"
	"net"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/railkit/railkit/sdk/widget"
)

//go:embed page
var embedded embed.FS

// Path is where the page is. Its files are below it.
const Path = "/widget"

// policy is one under which the web component works: no inline script or style, and no string that becomes script.
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

// types are spelled out: a system's own table may call a script something that browsers do not run.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
}

// Static serves the page at Path and its files below.
func Static() http.Handler {
	answers := http.NewServeMux()
	for _, folder := range []string{"page", "page/examples"} {
		entries, err := embedded.ReadDir(folder)
		if err != nil {
			panic(err) // they are part of the program
		}
		for _, e := range entries {
			if e.IsDir() {
				continue
			}
			name := folder + "/" + e.Name()
			content, err := embedded.ReadFile(name)
			if err != nil {
				panic(err) // it is part of the program
			}
			at := Path + strings.TrimPrefix(name, "page")
			if e.Name() == "index.html" {
				at = Path
			}
			answers.Handle("GET "+at, file(e.Name(), content))
		}
	}
	answers.Handle("GET "+Path+"/railkit-widget.js", file("railkit-widget.js", widget.Script))
	return answers
}

// longestHost is that of a name in the DNS, and of a port after it.
const longestHost = 253 + len(":65535")

// plainHost is a host and its port, as they may be written into an example.
var plainHost = regexp.MustCompile(`^[a-z0-9.-]+(:[0-9]{1,5})?$`)

// file serves one. An example is of the very server that serves it, whose origin it does not know before it is asked.
func file(name string, content []byte) http.Handler {
	example := path.Ext(name) == ".json"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if example && (len(r.Host) > longestHost || !plainHost.MatchString(r.Host)) {
			http.NotFound(w, r)
			return
		}
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		answer := content
		if example {
			answer = bytes.ReplaceAll(answer, []byte("https://HERE"), []byte(scheme(r.Host)+"://"+r.Host))
			answer = bytes.ReplaceAll(answer, []byte("HERE"), []byte(r.Host))
		}
		_, _ = w.Write(answer) // who went away needs no answer
	})
}

// scheme is http on this machine. A sandbox elsewhere is behind TLS.
func scheme(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	if ip := net.ParseIP(name); name == "localhost" || ip != nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}
