package api

import (
	"net/http"
	"sync"

	"github.com/swaggest/swgui/v5emb"

	"github.com/railkit/railkit/api/edge"
)

// The page must never load anything from elsewhere: readers put an API key in it.
const docsPolicy = "default-src 'none'; connect-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
	"script-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveDocs adds the OpenAPI document and the page that shows it. The document is
// written when somebody first asks: a third of a start's time, for most for nothing.
func serveDocs(s *edge.Server) {
	document := sync.OnceValues(s.Document)
	s.Static("/openapi.json", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, err := document()
		if err != nil {
			panic(err) // the operations are the program's own: the first test finds it
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}))
	page := v5emb.New("Railkit API", "/openapi.json", "/docs/")
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		page.ServeHTTP(w, r)
	})
	s.Static("/docs", guarded)
	s.Static("/docs/", guarded)
}
