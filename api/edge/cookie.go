package edge

import (
	"context"
	"net/http"
	"strings"
	"time"
)

// Jar is the one cookie of the dashboard, which holds a secret that its scripts
// must not see: what the request brought, and what the answer sets.
type Jar struct {
	Value string // of the request; empty: none, or more than one
	set   *http.Cookie
	safe  bool
}

// JarOf is the jar of a call of an operation with Op.Cookie.
func JarOf(ctx context.Context) *Jar { return callOf(ctx).jar }

// Set puts a value into the browser until an instant.
func (j *Jar) Set(value string, until time.Time) {
	j.set = j.cookie(value)
	j.set.Expires = until
}

// Clear takes the value out of the browser.
func (j *Jar) Clear() {
	j.set = j.cookie("")
	j.set.MaxAge = -1
}

// The name with the prefix is one that no other host, and no page without TLS,
// can set. Browsers want it Secure and for every path. On a developer's machine
// there is no TLS, so the cookie goes to the paths that need it only.
const (
	safeCookie  = "__Host-railkit_refresh"
	localCookie = "railkit_refresh"
	localPath   = "/v1/auth"
)

func (j *Jar) cookie(value string) *http.Cookie {
	c := &http.Cookie{
		Name: localCookie, Value: value, Path: localPath, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	if j.safe {
		c.Name, c.Path, c.Secure = safeCookie, "/", true
	}
	return c
}

// newJar reads the request's cookie. Two of one name are none: the second may be
// what somebody else has put there.
func (s *Server) newJar(r *http.Request) *Jar {
	j := &Jar{safe: strings.HasPrefix(s.Dashboard, "https://")}
	if found := r.CookiesNamed(j.cookie("").Name); len(found) == 1 {
		j.Value = found[0].Value
	}
	return j
}

// writeCookie sends the cookie that was set, if one was.
func (j *Jar) writeCookie(w http.ResponseWriter) {
	if j != nil && j.set != nil {
		http.SetCookie(w, j.set)
	}
}
