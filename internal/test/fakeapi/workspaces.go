package fakeapi

import (
	"net/http"
	"slices"
	"strings"
)

// shop is a workspace that an operator's key made.
type shop struct {
	id      string
	modules []string
	keys    map[string]*shopKey // by text
}

type shopKey struct {
	id      string
	from    []string
	revoked bool
}

// guard lets a call in, or says why not.
func (s *Server) guard(w http.ResponseWriter, r *http.Request) bool {
	text := strings.TrimPrefix(r.Header.Get("Authorization"), "ApiKey ")
	operators := strings.HasPrefix(r.URL.Path, "/v1/integrators") || r.URL.Path == "/v1/audit"
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.shops[text]
	switch {
	case text == InternalKey || text == AdminKey:
	case at == nil && text != APIKey || at != nil && at.keys[text].revoked:
		fail(w, r, http.StatusNotFound, "api_key_not_found", "API key not found")
		return false
	case at != nil && !slices.ContainsFunc(at.keys[text].from, func(n string) bool {
		return strings.HasPrefix(n, "127.")
	}):
		fail(w, r, http.StatusForbidden, "ip_not_allowed", "IP address is not allowed for this API key")
		return false
	case operators:
		fail(w, r, http.StatusForbidden, "insufficient_scope", "Insufficient permissions for this resource")
		return false
	case at != nil && !slices.Contains(at.modules, "signing"):
		fail(w, r, http.StatusForbidden, "module_inactive", "The signing module is not active for this workspace")
		return false
	}
	return true
}

func (s *Server) createIntegrator(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name    string
		Modules []string
	}
	if !read(w, r, &in) {
		return
	}
	made := &shop{random(16), in.Modules, map[string]*shopKey{}}
	s.mu.Lock()
	s.shops[made.id] = made
	s.mu.Unlock()
	respond(w, r, http.StatusCreated, object{"id": made.id, "name": in.Name}, nil)
}

func (s *Server) createKey(w http.ResponseWriter, r *http.Request) {
	var in struct{ IPAllowlist []string }
	if !read(w, r, &in) {
		return
	}
	key, text := &shopKey{id: random(16), from: in.IPAllowlist}, "rk_client_key_v1_"+random(32)
	s.mu.Lock()
	of := s.shops[r.PathValue("id")]
	of.keys[text], s.shops[text] = key, of
	s.mu.Unlock()
	respond(w, r, http.StatusCreated, object{"id": key.id, "key": text}, nil)
}

func (s *Server) setModules(w http.ResponseWriter, r *http.Request) {
	var in struct{ Modules []string }
	if !read(w, r, &in) {
		return
	}
	s.mu.Lock()
	s.shops[r.PathValue("id")].modules = in.Modules
	s.mu.Unlock()
	respond(w, r, http.StatusOK, object{"modules": in.Modules}, nil)
}

func (s *Server) revokeKey(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	for _, key := range s.shops[r.PathValue("id")].keys {
		key.revoked = key.revoked || key.id == r.PathValue("key")
	}
	s.mu.Unlock()
	respond(w, r, http.StatusOK, object{"id": r.PathValue("key")}, nil)
}

// enter adds to the trail; s.mu is held.
func (s *Server) enter() {
	before := ""
	if n := len(s.trail); n > 0 {
		before = s.trail[n-1]["hash"].(string)
	}
	s.trail = append(s.trail, object{"seq": len(s.trail) + 1, "hash": random(32), "previousHash": before})
}

func (s *Server) listAudit(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	newest := slices.Clone(s.trail)
	s.mu.Unlock()
	slices.Reverse(newest)
	respond(w, r, http.StatusOK, newest, meta(len(newest)))
}
