package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

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
