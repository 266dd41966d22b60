package mcpserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the server is, below its host.
const Path = "/mcp"

const (
	idleSession  = 30 * time.Minute
	mostSessions = 100 // and calls at once of those who have none
	mostRequest  = 1 << 20

	// sessionless is the first revision of the protocol in which each request stands alone.
	sessionless = "2026-07-28"
)

// Handler serves callers over HTTP. Whoever calls it spends the agent's money: with a token nobody does who does not
// send it, and without one the server is for programs of this machine alone, and not for pages in its browsers.
func (s *Server) Handler(token string) http.Handler {
	of := func(*http.Request) *mcp.Server { return s.mcp }
	options := mcp.StreamableHTTPOptions{
		SessionTimeout: idleSession, MaxRequestBodyBytes: mostRequest,
		DisableLocalhostProtection: token != "", // a proxy before it may pass on another host's name
	}
	sessions := s.bounded(mcp.NewStreamableHTTPHandler(of, &options))
	options.Stateless, options.PropagateRequestCancellation = true, true // who hangs up cancels
	calls := bounded(mcp.NewStreamableHTTPHandler(of, &options))
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= sessionless {
			calls.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case token == "" && !Local(r.Host), !sameOrigin(r):
			// A page of another site, or one whose name leads to this machine by now (DNS rebinding).
			http.Error(w, "this server is for programs of this machine", http.StatusForbidden)
		case token != "" && !bears(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// bounded refuses a further session where there are as many as there may be. A request without the id of a session
// begins one; while it is answered it counts, so that those that come at once are no more either.
func (s *Server) bounded(next http.Handler) http.Handler {
	var begun atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" {
			defer begun.Add(-1)
			if open := begun.Add(1) + s.sessions(); open > mostSessions {
				w.Header().Set("Retry-After", "60")
				http.Error(w, "too many sessions: end one by DELETE, or wait until one was idle for half an hour",
					http.StatusServiceUnavailable)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// bounded refuses a further call where as many are under way as may be.
func bounded(next http.Handler) http.Handler {
	var begun atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer begun.Add(-1)
		if begun.Add(1) > mostSessions {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many calls at once", http.StatusServiceUnavailable)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) sessions() (n int64) {
	for range s.mcp.Sessions() {
		n++
	}
	return n
}

// Local says whether a host, with or without a port, is this machine by its name.
func Local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// sameOrigin says whether a request is a program's, or that of a page of this very server.
func sameOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// bears compares a request's token with the one that is needed, in a time that does not depend on either.
func bears(r *http.Request, token string) bool {
	scheme, sent, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(sent))), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
