package api

import (
	"html/template"
	"net/http"

	"github.com/railkit/railkit/api/edge"
)

const frontPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var frontPage = template.Must(template.New("front").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Railkit</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; color: #1b1f24; }
a { color: #0b5cad; } code { background: #f2f4f7; padding: .1em .3em; border-radius: 3px; } li { margin: .4em 0; }
@media (prefers-color-scheme: dark) { body { background: #14171a; color: #e6e9ec; } a { color: #7ab8f5; } code { background: #23282d; } }
</style>
<h1>Railkit</h1>
<p>Stablecoin payments, passkey wallets and paying agents behind one REST API. This is the API server of the
<b>{{.Environment}}</b> environment{{with .Release}}, version {{.}}{{end}}.</p>
<ul>
<li><a href="/docs">Documentation of the API</a>, to read and to try calls in</li>
<li><a href="/openapi.json">The OpenAPI 3.1 document</a>, to make clients of</li>
<li><a href="/v1/">Health of the service</a></li>
{{with .Dashboard}}<li><a href="{{.}}">The dashboard</a>, where members log in</li>
{{end}}{{with .Gallery}}<li><a href="/widget">A gallery of widgets</a>, buttons that pay</li>
{{end}}</ul>
<p>How to run it and how to begin is in <code>README.md</code> of the source, more in its folder <code>docs/</code>.</p>
</html>
`))

// serveFrontPage answers a person who opens the server's address with links. Every path but / is the API's.
func serveFrontPage(s *edge.Server, d Deps) {
	said := struct { // and no more: what a template can reach is compiled with it
		Environment, Release, Dashboard string
		Gallery                         bool
	}{d.Environment, d.Release, d.Dashboard, d.Gallery != nil}
	s.Static("/{$}", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", frontPolicy)
		_ = frontPage.Execute(w, said)
	}))
}
