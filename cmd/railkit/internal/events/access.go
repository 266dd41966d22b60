// Package events is railkit listen, which forwards a workspace's events to a server on this machine, and railkit
// trigger, which has the sandbox do what an event tells of.
//
// Read access.go, listen.go, forward.go, trigger.go.
package events

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"time"

	"github.com/railkit/railkit/cmd/railkit/internal/dev"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/demo"
	"github.com/railkit/railkit/internal/keyfile"
	railkit "github.com/railkit/railkit/sdk/go"
)

// access is which platform is spoken to, and with which key.
type access struct {
	api, keyFile, data, origin string
	sleep                      func(context.Context, time.Duration) error // between tries
}

// sleep waits, unless the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (a *access) flags(f *flag.FlagSet) {
	f.StringVar(&a.api, "api", "", "URL of the API; without it, that of the railkit dev that runs on --data")
	f.StringVar(&a.keyFile, "key-file", "", "with --api: file with an API key, which other users must not be "+
		"able to read")
	f.StringVar(&a.data, "data", "", "folder of railkit dev, railkit-data unless given")
}

var errAPI = errors.New("--api: must be a URL such as https://railkit.example; plain http is for this machine")

// facts are what railkit dev says of itself, or what the flags say.
func (a access) facts() (demo.Facts, error) {
	if a.api == "" {
		f, err := dev.ReadFacts(filepath.Join(cmp.Or(a.data, config.SandboxFolder), dev.FactsFile))
		if errors.Is(err, fs.ErrNotExist) {
			return f, errors.New("no railkit dev has run on this folder: name it with --data, or give --api and --key-file")
		}
		return f, err
	}
	u, err := url.Parse(a.api)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !local(u)):
		return demo.Facts{}, errAPI
	case a.keyFile == "":
		return demo.Facts{}, errors.New("--key-file is needed with --api")
	}
	key, err := keyfile.Text(a.keyFile, "the API key")
	return demo.Facts{BaseURL: a.api, APIKey: key, CeremonyOrigin: a.origin}, err
}

func local(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// client checks what the signer says where its key is known. Of another platform nothing is signed but play money.
func (a access) client(f demo.Facts) (*railkit.Client, error) {
	return railkit.New(railkit.Config{
		BaseURL: f.BaseURL, APIKey: cmp.Or(f.BenchKey, f.APIKey), EnclaveKey: f.EnclaveKey, RPID: f.RPID,
		InsecureSkipProofs: f.EnclaveKey == "", Retry: railkit.Retry{Sleep: a.sleep},
	})
}
