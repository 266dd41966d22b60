package dashboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// maxServed is far above any file of the site.
const maxServed = 1 << 20

// Served asks an origin for each file of the site, as a browser would, and says what is not as this program has it. It
// tells what this caller was served at this time; a host can serve others to others.
func Served(ctx context.Context, origin string) error {
	files, err := embedded.ReadDir("dist")
	if err != nil {
		return err
	}
	for _, f := range files {
		want, err := embedded.ReadFile("dist/" + f.Name())
		if err != nil {
			return err
		}
		if err := sameAt(ctx, origin+"/"+f.Name(), want); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return nil
}

func sameAt(ctx context.Context, url string, want []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	for name, value := range headers {
		if !slices.Contains(resp.Header.Values(name), value) {
			return fmt.Errorf("it comes without the header %s of this program, or with another", name)
		}
	}
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxServed))
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("it is another file; find out who serves it before anybody logs in there")
	}
	return err
}
