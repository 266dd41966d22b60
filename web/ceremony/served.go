package ceremony

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// maxServed is far above any file of the page.
const maxServed = 1 << 20

// Page is what an origin serves.
type Page struct {
	Hash    string // of the files; see Hash
	Pin     Pin
	Missing []string // headers that an answer lacked, or has otherwise
}

// Served asks an origin for the page, as a browser would. Equal hashes mean that
// this caller, at this time, was served the files of this program; a host can
// serve others to others.
func Served(ctx context.Context, origin string) (p Page, err error) {
	s := served{client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, origin: origin}
	came := map[string][]byte{}
	for name := range files() {
		if came[name], err = s.fetch(ctx, "/"+name); err != nil {
			return p, err
		}
	}
	first, err := s.fetch(ctx, "/")
	if err != nil {
		return p, err
	}
	if string(first) != string(came[index]) {
		return p, errors.New("the page at / is not index.html")
	}
	text, err := s.fetch(ctx, pinFile)
	if err == nil {
		err = json.Unmarshal(text, &p.Pin)
	}
	slices.Sort(s.missing)
	p.Hash, p.Missing = hashOf(came), slices.Compact(s.missing)
	return p, err
}

type served struct {
	client  *http.Client
	origin  string
	missing []string
}

func (s *served) fetch(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.origin+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", req.URL.Path, resp.StatusCode)
	}
	for name, want := range headers {
		if resp.Header.Get(name) != want {
			s.missing = append(s.missing, name)
		}
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxServed))
}
