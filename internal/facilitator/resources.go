package facilitator

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/x402"
)

// extensionBazaar is the one extension that is served here.
const extensionBazaar = "bazaar"

// What a shop says of itself in the extension bazaar, and a buyer hands on with the payment. What is listed of it is
// this and nothing else: PathParams are what one buyer asked for.
type bazaar struct {
	Info struct {
		Input struct {
			Type       string                    `json:"type"`
			PathParams jsontext.Value            `json:"pathParams,omitempty"`
			More       map[string]jsontext.Value `json:",inline"`
		} `json:"input"`
		More map[string]jsontext.Value `json:",inline"`
	} `json:"info"`
	RouteTemplate string                    `json:"routeTemplate,omitempty"`
	More          map[string]jsontext.Value `json:",inline"`
}

var routeTemplate = regexp.MustCompile(`^/[a-zA-Z0-9_/:.~%-]+$`)

// route is where something is sold: the shop's template of the route, or else the path, without what a buyer asked for.
// "": nowhere. A template is read as npm's facilitators read it.
func route(resource, template string) string {
	u, err := url.Parse(resource)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	origin := u.Scheme + "://" + wire.Place(u.Scheme, strings.ToLower(u.Host))
	plain, err := url.PathUnescape(template)
	if err == nil && routeTemplate.MatchString(template) && !strings.Contains(plain, "%") &&
		!strings.Contains(plain, "..") && !strings.Contains(plain, "://") {
		return origin + template
	}
	return origin + u.EscapedPath()
}

const maxMetadata = 8 << 10

// discover lists what was paid for, where its shop asked for that by the extension bazaar. Only a settled payment does:
// who wants to be listed pays for it.
func (j *journal) discover(ctx context.Context, s *settlement, now time.Time) error {
	payload, offer, err := s.request.Parse()
	var all struct {
		Bazaar jsontext.Value `json:"bazaar"`
	}
	if err != nil || !s.receipt.Success || payload.Resource == nil ||
		json.Unmarshal(payload.Extensions, &all) != nil {
		return nil
	}
	var about bazaar
	if len(all.Bazaar) > maxMetadata || json.Unmarshal(all.Bazaar, &about) != nil ||
		about.Info.Input.Type != "http" && about.Info.Input.Type != "mcp" {
		return nil
	}
	at := route(payload.Resource.URL, about.RouteTemplate)
	if at == "" {
		return nil
	}
	about.Info.Input.PathParams = nil
	metadata, err := json.Marshal(about)
	accepts, err2 := json.Marshal([]x402.Offer{offer})
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return j.write(ctx, "discover", `INSERT INTO resources (resource, kind, version, accepts, metadata, at)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (resource) DO UPDATE SET kind = excluded.kind, version = excluded.version,
		accepts = excluded.accepts, metadata = excluded.metadata, at = excluded.at`,
		at, about.Info.Input.Type, s.request.Version, string(accepts), string(metadata),
		clock.Micros(now))
}

// Discovery lists resources, the last paid first.
func (f *Facilitator) Discovery(ctx context.Context, kind string, limit, offset int) (d x402.Discovery, err error) {
	d = x402.Discovery{Version: 2, Items: []x402.Discovered{}}
	d.Pagination.Limit, d.Pagination.Offset = limit, offset
	const which = ` FROM resources WHERE ? IN ('', kind)`
	err = f.catalog().db.Reader.QueryRowContext(ctx, `SELECT count(*)`+which, kind).Scan(&d.Pagination.Total)
	if err != nil {
		return d, fmt.Errorf("counting resources: %w", err)
	}
	rows, err := f.catalog().db.Reader.QueryContext(ctx, `SELECT resource, kind, version, accepts, metadata, at`+which+
		` ORDER BY at DESC, resource LIMIT ? OFFSET ?`, kind, limit, offset)
	if err != nil {
		return d, fmt.Errorf("listing resources: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var r x402.Discovered
		var accepts, metadata string
		var at int64
		if err := rows.Scan(&r.Resource, &r.Type, &r.Version, &accepts, &metadata, &at); err != nil {
			return d, fmt.Errorf("listing resources: %w", err)
		}
		if r.Accepts, err = readOffers(r.Version, accepts); err != nil {
			return d, fmt.Errorf("listing resources: %w", err)
		}
		r.Metadata, r.LastUpdated = jsontext.Value(metadata), clock.ISO(clock.FromMicros(at))
		d.Items = append(d.Items, r)
	}
	return d, rows.Err()
}

// readOffers reads offers in the version in which they were written.
func readOffers(version int, text string) (all []x402.Offer, err error) {
	var raw []jsontext.Value
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, err
	}
	dialect := x402.V2
	if version == 1 {
		dialect = x402.V1
	}
	for _, v := range raw {
		o, err := x402.ParseOffer(dialect, v)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}
