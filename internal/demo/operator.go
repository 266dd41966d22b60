package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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

// link is what an entry of the record says of its place.
type link struct {
	Seq                int64
	Hash, PreviousHash string
}

// readRecord reads the whole record of the workspace, newest first: every entry
// must name the hash of the one before it, down to the first.
func (s *story) readRecord(ctx context.Context) (string, error) {
	var newer *link
	n := 0
	for cursor := ""; ; {
		page, next, err := s.recordPage(ctx, cursor)
		if err != nil {
			return "", err
		}
		for _, entry := range page {
			if entry.Hash == "" || newer != nil && (entry.Seq != newer.Seq-1 || entry.Hash != newer.PreviousHash) {
				return "", fmt.Errorf("the entry after place %d of the record is not the one that it names", entry.Seq)
			}
			newer = &entry
			n++
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	if newer == nil || newer.Seq != 1 || newer.PreviousHash != "" {
		return "", errors.New("the record has no beginning")
	}
	return fmt.Sprintf("%d entries, one chain", n), nil
}

func (s *story) recordPage(ctx context.Context, cursor string) (page []link, next string, err error) {
	query := url.Values{"integratorId": {s.facts.WorkspaceID}, "limit": {"50"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	got, err := s.ask(ctx,
		request{method: http.MethodGet, path: "/v1/audit?" + query.Encode(), key: s.facts.AdminKey}, http.StatusOK)
	if err != nil {
		return nil, "", err
	}
	var body struct {
		Data []link
		Meta struct{ NextCursor string }
	}
	err = json.Unmarshal(got.body, &body)
	return body.Data, body.Meta.NextCursor, err
}
