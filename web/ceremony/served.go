package ceremony

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxServed is far above any file of the page.
const maxServed = 1 << 20

// Served asks an origin for the page, as a browser would, and gives the hash of
// what came and the pin that came with it. Equal hashes mean that this caller, at
// this time, was served the files of this program; a host can serve others to others.
func Served(ctx context.Context, origin string) (hash string, pin Pin, err error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	came := map[string][]byte{}
	for name := range files() {
		if came[name], err = fetch(ctx, client, origin+"/"+name); err != nil {
			return "", pin, err
		}
	}
	first, err := fetch(ctx, client, origin+"/")
	if err != nil {
		return "", pin, err
	}
	if string(first) != string(came[index]) {
		return "", pin, errors.New("the page at / is not index.html")
	}
	text, err := fetch(ctx, client, origin+pinFile)
	if err == nil {
		err = json.Unmarshal(text, &pin)
	}
	return hashOf(came), pin, err
}

func fetch(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: status %d", req.URL.Path, resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxServed))
}
