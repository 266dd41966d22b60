package edge

import (
	"context"
	"net/http"
)

// Probe serves an answer for what keeps servers running, such as a balancer. It asks
// for no key, counts nobody and writes no line to the log: it comes every second, and
// a balancer that were refused would take a healthy server for a dead one.
func (s *Server) Probe(path string, ask func(context.Context) (any, error)) {
	pattern := "GET " + path
	s.known[pattern] = true
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		c.route, c.probe = path, true
		data, err := ask(r.Context())
		var body []byte
		if err == nil {
			body, err = s.render(c, envelope{Success: true, Message: ok, Data: data, StatusCode: http.StatusOK})
		}
		if err != nil {
			s.fail(w, c, err)
			return
		}
		write(w, http.StatusOK, body)
	})
}
