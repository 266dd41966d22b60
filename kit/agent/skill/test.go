package skill

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/fetch"
	"github.com/railkit/railkit/rest"
)

const (
	mostInput    = 64 << 10
	mostShown    = 64 << 10
	testPatience = 20 * time.Second
)

// Test calls a skill for its owner, without paying: to see what its server answers.
func (s *Service) Test(ctx context.Context, p auth.Principal, id string, in rest.SkillTest) (rest.SkillTested, error) {
	k, err := s.present(ctx, p, id)
	if err != nil {
		return rest.SkillTested{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, testPatience)
	defer cancel()
	a, err := s.Call(ctx, k, in.Input, 0)
	if err != nil {
		return rest.SkillTested{}, err
	}
	return a.tested(), nil
}

// request is the call of a skill: its input is the body or, where there is none, the query.
func request(k Skill, input map[string]any) (fetch.Request, error) {
	if input == nil {
		input = map[string]any{}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		return fetch.Request{}, fault.Field("input", "must be a JSON object")
	}
	if len(raw) > mostInput {
		return fetch.Request{}, fault.Field("input", "must be at most 65536 bytes")
	}
	q := fetch.Request{Method: k.Method, URL: k.URL, Header: http.Header{"Accept": {"application/json, */*"}}}
	if k.Method == http.MethodPost || k.Method == http.MethodPut {
		q.Body = raw
		q.Header.Set("Content-Type", "application/json")
		return q, nil
	}
	q.URL, err = withQuery(k.URL, input)
	return q, err
}

// withQuery adds an input's members to an address: a text as it is, everything else as JSON.
func withQuery(address string, input map[string]any) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	query := u.Query()
	for name, value := range input {
		text, is := value.(string)
		if !is {
			raw, err := json.Marshal(value)
			if err != nil {
				return "", fault.Field("input", "must be a JSON object")
			}
			text = string(raw)
		}
		query.Set(name, text)
	}
	u.RawQuery = query.Encode()
	if len(u.String()) > fetch.LongestURL {
		return "", fault.Field("input", "is too long for an address: a skill of this method has it in the query")
	}
	return u.String(), nil
}

// tested is an answer as text, cut where it is long.
func (a Answer) tested() rest.SkillTested {
	v := rest.SkillTested{
		Status: a.Status, Headers: a.Headers, Body: strings.ToValidUTF8(string(a.Body), "\uFFFD"),
		LatencyMS: a.Latency.Milliseconds(),
	}
	if len(v.Body) > mostShown {
		v.Body, v.Truncated = strings.ToValidUTF8(v.Body[:mostShown], ""), true
	}
	return v
}
