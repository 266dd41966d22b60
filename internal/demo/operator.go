package demo

import (
	"context"
	"fmt"
	"net/http"
)

// What a key is told where it may not, in the words of the contract.
const (
	noModule  = "The signing module is not active for this workspace"
	noAddress = "IP address is not allowed for this API key"
	noScope   = "Insufficient permissions for this resource"
	noKey     = "API key not found"
)

// shop is a workspace of the operator's making.
type shop struct {
	path       string
	id, key    string // of a key that works here
	otherPlace string // a key for other addresses
}

// operate opens a workspace with an operator's key, and tries with the keys of
// that workspace what they may not.
func (s *story) operate(ctx context.Context) (string, error) {
	w, err := s.openShop(ctx)
	if err != nil {
		return "", err
	}
	if err := s.wantKeyRefused(ctx, w.key, "/v1/signing/wallets", http.StatusForbidden, noModule); err != nil {
		return "", err
	}
	if err := s.wantKeyRefused(ctx, w.otherPlace, "/v1/signing/wallets", http.StatusForbidden, noAddress); err != nil {
		return "", err
	}
	if err := s.wantKeyRefused(ctx, w.key, "/v1/integrators", http.StatusForbidden, noScope); err != nil {
		return "", err
	}
	if _, err := s.operator(ctx, http.MethodPatch, w.path+"/modules",
		`{"modules":["signing"]}`, http.StatusOK); err != nil {
		return "", err
	}
	if _, err := s.ask(ctx, request{method: http.MethodGet, path: "/v1/signing/wallets", key: w.key},
		http.StatusOK); err != nil {
		return "", err
	}
	if _, err := s.operator(ctx, http.MethodDelete, w.path+"/api-keys/"+w.id, "", http.StatusOK); err != nil {
		return "", err
	}
	return "3 refusals, then revoked", s.wantKeyRefused(ctx, w.key, "/v1/signing/wallets", http.StatusNotFound, noKey)
}

// openShop makes a workspace without the signing kit, and two keys of it.
func (s *story) openShop(ctx context.Context) (w shop, err error) {
	var made struct{ ID, Key string }
	answer, err := s.operator(ctx, http.MethodPost, "/v1/integrators",
		`{"name":"Demo shop","modules":["widget"]}`, http.StatusCreated)
	if err != nil {
		return w, err
	}
	if err := answer.data(&made); err != nil {
		return w, err
	}
	w.path = "/v1/integrators/" + made.ID
	for list, key := range map[string]*string{`["127.0.0.0/8","::1"]`: &w.key, `["192.0.2.0/24"]`: &w.otherPlace} {
		answer, err := s.operator(ctx, http.MethodPost, w.path+"/api-keys",
			`{"name":"Till","ipAllowlist":`+list+`}`, http.StatusCreated)
		if err != nil {
			return w, err
		}
		if err := answer.data(&made); err != nil {
			return w, err
		}
		if *key = made.Key; key == &w.key {
			w.id = made.ID
		}
	}
	return w, nil
}

func (s *story) operator(ctx context.Context, method, path, body string, want int) (reply, error) {
	return s.ask(ctx, request{method: method, path: path, body: body, key: s.facts.InternalKey}, want)
}

func (s *story) wantKeyRefused(ctx context.Context, key, path string, status int, message string) error {
	got, err := s.ask(ctx, request{method: http.MethodGet, path: path, key: key}, status)
	if err == nil && got.message() != message {
		err = fmt.Errorf("GET %s was refused with %q, not %q", path, got.message(), message)
	}
	return err
}
