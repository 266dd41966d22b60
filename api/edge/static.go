package edge

import (
	"context"
	"net/http"
)

// Static serves files, such as the docs page, to anyone. Only what it refuses
// is in the envelope.
func (s *Server) Static(path string, h http.Handler) {
	pattern := "GET " + path
	s.known[pattern] = true
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		c.route = path
		if err := s.limitStranger(r.Context(), w.Header(), c); err != nil {
			s.fail(w, c, err)
			return
		}
		files := &fileWriter{ResponseWriter: w}
		h.ServeHTTP(files, r)
		if files.refused {
			for _, name := range []string{"Content-Encoding", "Etag", "Location"} {
				w.Header().Del(name)
			}
			s.fail(w, c, errNoRoute)
		}
	})
}

// fileWriter holds back what a file handler says of a file that it does not have.
type fileWriter struct {
	http.ResponseWriter
	refused bool
}

func (w *fileWriter) WriteHeader(status int) {
	if status >= http.StatusMultipleChoices && status != http.StatusNotModified {
		w.refused = true
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *fileWriter) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

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
