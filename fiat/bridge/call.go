package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/railkit/railkit/fiat"
)

// maxBody is the most that is read of an answer.
const maxBody = 1 << 20

// errKey is a bug of ours: without a key the same thing could be made twice.
var errKey = errors.New("bridge: a POST needs an idempotency key")

// get asks for something.
func (c *Client) get(ctx context.Context, path string, query url.Values, answer any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.call(ctx, http.MethodGet, path, "", nil, answer)
}

// post makes something, once for each key.
func (c *Client) post(ctx context.Context, path, key string, body, answer any) error {
	if key == "" {
		return errKey
	}
	return c.call(ctx, http.MethodPost, path, key, body, answer)
}

func (c *Client) put(ctx context.Context, path string, body, answer any) error {
	return c.call(ctx, http.MethodPut, path, "", body, answer)
}

func (c *Client) call(ctx context.Context, method, path, key string, body, answer any) error {
	began := time.Now()
	err := c.ask(ctx, method, path, key, body, answer)
	c.tell(ctx, method, time.Since(began), err)
	return err
}

func (c *Client) ask(ctx context.Context, method, path, key string, body, answer any) error {
	request, err := c.request(ctx, method, path, key, body)
	if err != nil {
		return err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return unreachable(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := read(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return failure(response, text, c.clock.Now(), secretsOf(body))
	}
	if !isJSON(response) {
		return fmt.Errorf("the answer is not JSON: %w", fiat.ErrAnswer)
	}
	return decode(text, answer)
}

func (c *Client) request(ctx context.Context, method, path, key string, body any) (*http.Request, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body, json.Deterministic(true)); err != nil {
			return nil, errors.New("bridge: a request could not be written")
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, errors.New("bridge: a request could not be made")
	}
	request.Header.Set("Api-Key", c.key)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "railkit")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	// Go repeats a request by itself where a connection breaks and the header is
	// there. It is the same request with the same key, so that is what we would do.
	return request, nil
}

// unreachable keeps the cause and drops the URL.
func unreachable(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return fmt.Errorf("%w: %w", fiat.ErrUnavailable, err)
}

func read(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if err != nil {
		return nil, unreachable(err)
	}
	if len(text) > maxBody {
		return nil, fmt.Errorf("the answer is longer than %d bytes: %w", maxBody, fiat.ErrAnswer)
	}
	return text, nil
}

func isJSON(r *http.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// decode reads an answer. Two names for one thing, wrong cases and anything behind
// the end are refused; fields that are new are not.
func decode(text []byte, answer any) error {
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("the answer cannot be read: %w", fiat.ErrAnswer)
	}
	return nil
}
