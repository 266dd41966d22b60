// Package verify is railkit verify-address: it asks the payment partner, from a machine of the owner's, whether an
// address is the partner's. So an owner finds out a server that shows an address of its own.
//
// Read verify.go first. key.go reads the API key, and report.go tells what the partner answered.
package verify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
)

// patience is for all calls together: the list of a large business has many pages.
const patience = 3 * time.Minute

// question is what is asked of the partner.
type question struct {
	address  string // canonical
	family   chain.Family
	network  string // "": any
	customer string // "": any
	partner  string // URL, without the version of the API
}

// Run asks the partner. It fails unless the partner has the address, on the network that was named, and nothing that
// the partner says of it speaks against paying to it.
func Run(ctx context.Context, env cli.Env, args []string) error {
	q, err := parse(env, args)
	if err != nil {
		return err
	}
	key, err := readKey(env, q.partner)
	if err != nil {
		return err
	}
	c, err := bridge.New(bridge.Config{URL: q.partner, Key: key})
	if err != nil {
		return errPartner
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	routes, err := q.find(ctx, c)
	if err != nil {
		return err
	}
	var found []finding
	for _, r := range routes {
		f, err := q.examine(ctx, c, r)
		if err != nil {
			return err
		}
		found = append(found, f)
	}
	return q.report(env.Out, found)
}

var errPartner = cli.UsageError(errors.New("--partner: must be a URL such as https://api.bridge.xyz/v0; " +
	"plain http, which shows the key to the network, is for a partner on this machine"))

func parse(env cli.Env, args []string) (q question, err error) {
	f := cli.Flags(env, "verify-address")
	address := f.String("address", "", "the address that was shown to you, whole")
	f.StringVar(&q.network, "network", "", "network that you mean to pay on, as base; none: any")
	partner := f.String("partner", "https://api.bridge.xyz/v0", "URL of the payment partner's API")
	f.StringVar(&q.customer, "customer", "",
		"id of your customer at the partner, as its dashboard shows it; none: look at all customers")
	f.Usage = func() { usage(f) }
	if err := refuseKeys(args); err != nil {
		return q, err
	}
	if err := cli.Parse(f, args); err != nil {
		return q, err
	}
	var ok bool
	if q.address, q.family, ok = families.ParseAddress(*address); !ok {
		return q, cli.UsageError(errors.New("--address: must be " + families.TypedForms()))
	}
	q.partner = strings.TrimSuffix(strings.TrimSuffix(*partner, "/"), "/v0")
	if !private(q.partner) {
		return q, errPartner
	}
	return q, nil
}

func usage(f *flag.FlagSet) {
	fmt.Fprint(f.Output(), "usage of railkit verify-address:\n",
		"It asks the payment partner for its list of addresses, with an API key that you type in or that is the first\n",
		"line of stdin. It is meant for a machine of yours, not for the server. The key needs to read only:\n",
		rights, ".\n\n", proof, "\n")
	f.PrintDefaults()
}

// private tells whether nobody on the way to a URL can read the key.
func private(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

// find is what the partner has of the address.
func (q question) find(ctx context.Context, c *bridge.Client) ([]bridge.Route, error) {
	all, err := c.Routes(ctx, q.customer)
	if errors.Is(err, fiat.ErrNotFound) && q.customer == "" {
		return nil, errors.New("the partner does not list the addresses of all customers: name one with --customer; " +
			"the partner's dashboard shows its id")
	}
	if err != nil {
		return nil, trouble(err)
	}
	same := slices.DeleteFunc(slices.Clone(all), func(r bridge.Route) bool {
		return q.family.Lookup(r.Address) != q.family.Lookup(q.address)
	})
	if len(same) == 0 {
		return nil, q.unknown(all)
	}
	here := slices.DeleteFunc(slices.Clone(same), func(r bridge.Route) bool {
		return q.network != "" && r.Chain != q.network
	})
	if len(here) == 0 {
		return nil, fmt.Errorf("the partner has this address on %s and not on %s: do not pay to it on %s",
			cli.Printable(same[0].Chain), q.network, q.network)
	}
	return here, nil
}

// unknown says that the partner does not have the address, and which one it has that may be taken for it.
func (q question) unknown(all []bridge.Route) error {
	for _, r := range all {
		if chain.Alike(r.Address, q.address) {
			return fmt.Errorf("the partner has no such address, but one that begins and ends alike, %s: whoever showed "+
				"you this one may want to deceive you; do not pay to it and do not add it to your payees",
				cli.Printable(r.Address))
		}
	}
	if q.customer != "" {
		return errors.New("the partner has no such address of this customer: do not pay to it and do not add it to " +
			"your payees; without --customer all of your customers' addresses are looked at")
	}
	return errors.New("the partner has no such address: do not pay to it and do not add it to your payees")
}

// trouble says in plain words why the partner's word is missing. It repeats nothing that the partner wrote.
func trouble(err error) error {
	const still = ": nothing is known of the address; do not pay to it yet"
	switch {
	case errors.Is(err, bridge.ErrKey):
		return errors.New("the partner does not take this API key" + still)
	case errors.Is(err, fiat.ErrNotFound):
		return errors.New("the partner does not know this customer" + still)
	case errors.Is(err, fiat.ErrRefused):
		return errors.New("the partner does not tell: the key needs the rights " + rights + still)
	}
	return fmt.Errorf("%w"+still, err)
}
