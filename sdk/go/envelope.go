package railkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Meta is the position of a page in its list.
type Meta struct {
	Page       int    `json:"page"`
	Limit      int    `json:"limit"`
	Total      int    `json:"total"`
	TotalPages int    `json:"totalPages"`
	NextCursor string `json:"nextCursor,omitempty"`

	Counts map[string]int `json:"counts,omitempty"` // of lists that say so: how many there are of each kind
	Proof  *Proof         `json:"proof,omitempty"`  // the signer's statement about the list, where a fresh one was asked for
}

type envelope struct {
	Success    bool            `json:"success"`
	Message    string          `json:"message"`
	Data       json.RawMessage `json:"data,omitempty"`
	Meta       *Meta           `json:"meta,omitempty"`
	StatusCode int             `json:"statusCode"`
	Timestamp  string          `json:"timestamp"`
	Path       string          `json:"path"`
	Code       string          `json:"error,omitempty"`
	Details    map[string]any  `json:"details,omitempty"`
	ApprovalID string          `json:"approvalId,omitempty"`
	Outcome    string          `json:"outcome,omitempty"` // of changes that can be prepared: done or prepared
}

// open reads the envelope; what is not a success becomes an *Error.
func (c *Client) open(res *http.Response, raw []byte) (*envelope, error) {
	var env envelope
	err := c.decode(raw, &env)
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		if err != nil {
			return nil, fmt.Errorf("railkit: the answer is not the envelope of the API: %w", err)
		}
		if !env.Success {
			return nil, errors.New("railkit: the answer is a success by its status and an error by its envelope")
		}
		if res.StatusCode == http.StatusAccepted {
			return nil, queued(&env)
		}
		return &env, nil
	}
	e := &Error{
		Status: res.StatusCode, Code: env.Code, Message: env.Message, Details: env.Details,
		RetryAfter: retryAfter(res.Header.Get("Retry-After")),
		RequestID:  res.Header.Get("X-Request-Id"), Path: res.Request.URL.Path,
	}
	if e.Message == "" {
		e.Message = http.StatusText(res.StatusCode)
	}
	return nil, e
}

func retryAfter(header string) time.Duration {
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}

// checked lets an answer out only if it holds.
func checked[T any](answer *T, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *Client) decode(raw []byte, v any) error {
	if c.strict {
		return decodeStrict(raw, v)
	}
	return json.Unmarshal(raw, v)
}
