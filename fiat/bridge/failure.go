package bridge

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/fiat"
)

// problem is the body of an error.
type problem struct {
	Code     string `json:"code"`
	Message  string `json:"message"`
	Name     string `json:"name"`
	Location string `json:"location"`
	Source   struct {
		Key jsontext.Value `json:"key"`
	} `json:"source"`
}

// ErrKey is the answer to a wrong API key. It is an unknown outcome, too.
var ErrKey = errors.New("the partner does not take our API key")

// longest is the longest wait that is believed.
const longest = time.Hour

// failure says what an answer that is none of 2xx means.
func failure(r *http.Response, text []byte, now time.Time, secrets []string) error {
	wait, waits := retryAfter(r.Header.Get("Retry-After"), now)
	switch {
	case r.StatusCode == http.StatusTooManyRequests, r.StatusCode == http.StatusServiceUnavailable && waits:
		return &fiat.Busy{After: wait}
	case r.StatusCode >= 500, r.StatusCode == http.StatusRequestTimeout, r.StatusCode == http.StatusFailedDependency:
		return fmt.Errorf("status %d: %w", r.StatusCode, fiat.ErrUnavailable)
	case r.StatusCode == http.StatusUnauthorized:
		// Our key is wrong. No order may end because of that.
		return fmt.Errorf("%w: %w", ErrKey, fiat.ErrUnavailable)
	case r.StatusCode < 400:
		return fmt.Errorf("status %d: %w", r.StatusCode, fiat.ErrAnswer)
	}
	var p problem
	if !isJSON(r) || json.Unmarshal(text, &p) != nil || p.Code == "" {
		// Something between us and the partner may have said no.
		return fmt.Errorf("status %d without a reason: %w", r.StatusCode, fiat.ErrAnswer)
	}
	return p.meaning(r.StatusCode, secrets)
}

// meaning tells refusals from what may pass.
func (p problem) meaning(status int, secrets []string) error {
	code := slug(p.Code)
	switch {
	case status == http.StatusNotFound:
		return fiat.ErrNotFound
	case code == "unauthorized", code == "external_dependency_failed":
		return fmt.Errorf("%s: %w", code, fiat.ErrUnavailable)
	case p.aboutKey(code):
		return fiat.ErrKeyReused
	case status == http.StatusConflict && code == "resource_state_conflict":
		return &fiat.Busy{}
	case strings.HasPrefix(code, "insufficient_"):
		return fiat.ErrInsufficient
	}
	return &fiat.Refusal{Code: code, Message: harmless(p.Message, secrets), Field: p.field()}
}

// aboutKey tells whether the key is what is wrong: seen with another body, or too
// old. What it was used for first may have happened.
func (p problem) aboutKey(code string) bool {
	return code == "not_truly_idempotent" || code == "duplicate_record" || strings.Contains(code, "idempoten") ||
		strings.Contains(strings.ToLower(p.field()+" "+p.Message), "idempoten")
}

var (
	wordy  = regexp.MustCompile(`[^a-z0-9_.-]+`)
	fields = pattern(`^[A-Za-z][A-Za-z0-9_.\[\]-]{0,99}$`)
	digits = pattern(`\S*[0-9]([ .-]?[0-9]){3,}\S*|\S+@\S+`)
)

// slug makes a code of what is given as one.
func slug(text string) string {
	text = wordy.ReplaceAllString(strings.ToLower(text), "_")
	if digits().MatchString(text) {
		return "unspecified"
	}
	return text[:min(len(text), 64)]
}

// field is what the partner complains about, where it says so: one name, or an
// object whose first name it is.
func (p problem) field() string {
	name := p.Name
	var one string
	var many map[string]jsontext.Value
	switch {
	case json.Unmarshal(p.Source.Key, &one) == nil:
		name = one
	case json.Unmarshal(p.Source.Key, &many) == nil && len(many) > 0:
		name = slices.Min(slices.Collect(maps.Keys(many)))
	}
	if !fields().MatchString(name) || digits().MatchString(name) {
		return ""
	}
	return name
}

// harmless leaves nothing in a message that could be a number of an account.
func harmless(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "…")
	}
	text = digits().ReplaceAllString(strings.ToValidUTF8(text, ""), "…")
	runes := []rune(text)
	return string(runes[:min(len(runes), 200)])
}

// retryAfter reads seconds or a date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(n)*time.Second, longest), true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return max(min(at.Sub(now), longest), 0), true
}
