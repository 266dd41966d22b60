package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/rest"

	"errors"
)

// checkServer asks the API itself, if it runs, which it need not while doctor does.
func checkServer(ctx context.Context, t target) []finding {
	host, port, err := net.SplitHostPort(t.Addr)
	if err != nil || port == "0" {
		return nil
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, dial)
	defer cancel()
	url := "http://" + net.JoinHostPort(host, port)
	h, err := health(ctx, url)
	var none *net.OpError
	switch {
	case errors.As(err, &none) && none.Op == "dial":
		return []finding{{note, "server", "none listens at " + t.Addr}}
	case err != nil:
		return []finding{{failure, "server",
			"what listens at " + t.Addr + " does not answer as this server does: choose another --addr, or end it"}}
	case h.Environment != t.Environment:
		return []finding{{failure, "server", "the one at " + t.Addr + " is of another environment than these settings"}}
	case h.Version != t.version:
		return []finding{{warning, "server", "the one at " + t.Addr + " is of another version than this program"}}
	}
	return []finding{readiness(ctx, url, t.Addr)}
}

// health asks what is alive there. It has no limit, which GET /v1/ has.
func health(ctx context.Context, url string) (h rest.Health, err error) {
	status, err := read(ctx, url+"/healthz", &struct{ Data *rest.Health }{&h})
	if err == nil && (status != http.StatusOK || h.Service != "railkit") {
		err = errors.New("it is another program")
	}
	return h, err
}

// readiness asks whether it can do its work.
func readiness(ctx context.Context, url, addr string) finding {
	var said struct{ Message string }
	status, err := read(ctx, url+"/readyz", &said)
	switch {
	case err != nil:
		return finding{failure, "server", "it lives at " + addr + ", and does not say whether it is ready"}
	case status != http.StatusOK:
		return finding{failure, "server", "it lives at " + addr + ", and answers calls with errors: " + said.Message}
	}
	return finding{fine, "server", "it answers at " + addr}
}

func read(ctx context.Context, url string, into any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	return res.StatusCode, json.NewDecoder(io.LimitReader(res.Body, 64<<10)).Decode(into)
}

// checkNodes asks every node which chain it is on.
func checkNodes(ctx context.Context, t target) []finding {
	if len(t.RPCURLs) == 0 {
		return []finding{{warning, "node", "no --rpc names one: nothing can be prepared or sent"}}
	}
	var all []finding
	for _, slug := range slices.Sorted(maps.Keys(t.RPCURLs)) {
		all = append(all, checkNode(ctx, chain.Environment(t.Environment), slug, t.RPCURLs[slug]))
	}
	return all
}

func checkNode(ctx context.Context, env chain.Environment, slug, urls string) finding {
	network, ok := chain.BySlug(env, slug)
	if !ok {
		return finding{failure, "node", fmt.Sprintf("--rpc names %q, which is no network of this environment", slug)}
	}
	c, err := app.DialNode(ctx, urls, network)
	if err != nil {
		return finding{failure, "node", slug + ": " + cli.OneLine(err)}
	}
	defer c.Close()
	err = c.CheckNetwork(ctx)
	switch {
	case env == chain.Production && app.IsDevnet(ctx, c):
		return finding{failure, "node", slug + ": it is the sandbox's own: production refuses it"}
	case errors.Is(err, node.ErrWrongNetwork):
		return finding{failure, "node", cli.OneLine(err)}
	case err != nil:
		return finding{failure, "node", slug + ": it does not answer: " + cli.OneLine(err)}
	}
	_, expires := c.(node.Expiring)
	if env == chain.Production && expires && len(strings.Fields(urls)) < 2 {
		return finding{warning, "node", slug + ": it is the only one: --rpc takes a second one, of somebody else, " +
			"without whose word no transaction counts as expired"}
	}
	return finding{fine, "node", fmt.Sprintf("it answers as chain %s (%s)", network.ID(), slug)}
}
