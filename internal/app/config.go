// Package app puts the server together: the one place that knows every part. It
// holds no rules of its own.
package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/child"
	"github.com/railkit/railkit/internal/config"
	"github.com/railkit/railkit/internal/metrics"
	"github.com/railkit/railkit/platform/ratelimit"
	"github.com/railkit/railkit/requestid"
)

// Config is what a server needs to be told.
type Config struct {
	config.Server
	Version string
	Ready   func(addr string) error `json:"-"` // told the bound address once the server answers; may be nil

	// For tests; zero values mean production's.
	Clock      clock.Clock
	Log        *slog.Logger
	SweepEvery time.Duration
	WatchDepth int // of every network, for the watcher
	// IssuersEvery is how often the nodes are asked who issues each token.
	IssuersEvery time.Duration
	Dialers      map[chain.Kind]Dialer `json:"-"` // of families that this program does not have

	meter *metrics.Metrics
}

func (c Config) withDefaults() Config {
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.Log == nil {
		level, _ := child.ParseLevel(c.LogLevel) // check tells of another one
		c.Log = child.NewLog(os.Stderr, level)
	}
	c.Log = requestid.Log(c.Log)
	if c.meter == nil {
		c.meter = metrics.New(c.Version, c.Log)
	}
	if c.SweepEvery == 0 {
		c.SweepEvery = 5 * time.Second
	}
	c.RateLimitOutageStandard = cmp.Or(c.RateLimitOutageStandard, ratelimit.Open)
	c.RateLimitOutageFinancial = cmp.Or(c.RateLimitOutageFinancial, ratelimit.Closed)
	return c
}

// check refuses what could never work, and in production what must not.
func (c Config) check() error {
	if err := c.Server.Check(); err != nil {
		return err
	}
	env := chain.Environment(c.Environment)
	switch {
	case c.EnclaveSocket == "" || c.EnclaveKey == "":
		return errors.New(
			"the signer's socket and its pinned identity key are needed (--enclave-socket, --enclave-key)",
		)
	}
	for slug := range c.RPCURLs {
		if _, ok := chain.BySlug(env, slug); !ok {
			return fmt.Errorf("%s names what is no network of this environment", config.Called("rpc"))
		}
	}
	if env == chain.Production && c.VaultKeyFile == "" {
		return errNoVault
	}
	for slug := range c.WatchFrom {
		if c.RPCURLs[slug] == "" {
			return fmt.Errorf("%s names a network that has no node", config.Called("watch-from"))
		}
	}
	if err := c.deposits().Check(); err != nil {
		return fmt.Errorf("%s, %s: %w", config.Called("deposit-least"), config.Called("deposit-most"), err)
	}
	if env == chain.Production && os.Getuid() == 0 {
		return errors.New("production refuses to run as root: root could read the signer's memory")
	}
	return nil
}

var errNoVault = fmt.Errorf("%s: production needs one: bank details are sealed with its keys",
	config.Called("vault-key-file"))

// cooling is how long a new bank account is not paid. In the sandbox nobody waits.
func (c Config) cooling() time.Duration {
	text := c.PayoutCooling
	if text == "" && c.Environment == string(chain.Sandbox) {
		return 0
	}
	d, err := time.ParseDuration(text) // which check has looked at
	if err != nil {
		return 24 * time.Hour
	}
	return d
}

// apart refuses the uid that the signer runs under: what it may do with the
// signer's memory and files, the server must not.
func apart(uid int, socket string) error {
	info, err := os.Stat(socket)
	if err != nil {
		return fmt.Errorf("looking at the signer's socket: %w", err)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) == uid {
		return errors.New("production refuses to run under the signer's user: it could read the signer's memory")
	}
	return nil
}

// SandboxKeys are the fixed keys of a local platform, so that the same data has
// the same keys.
type SandboxKeys struct {
	WorkspaceID string `json:"workspaceId"`
	APIKey      string `json:"apiKey"`
	InternalKey string `json:"internalKey"`
	AdminKey    string `json:"adminKey"`
	BenchKey    string `json:"benchKey"`
}

func readSandboxKeys(path string) (SandboxKeys, error) {
	var k SandboxKeys
	raw, err := os.ReadFile(path)
	if err != nil {
		return k, fmt.Errorf("reading the sandbox's keys: %w", err)
	}
	if err := json.Unmarshal(raw, &k); err != nil {
		return k, fmt.Errorf("reading the sandbox's keys: %w", err)
	}
	return k, nil
}

// keyFile is a file with a key that a setting names. The sandbox makes its own,
// in its data folder.
type keyFile struct {
	name    string // of the key: "session"
	setting string
	path    string
	make    func() ([]byte, error)
}

func (k keyFile) read(c Config) ([]byte, error) {
	path := k.path
	if c.Environment == string(chain.Sandbox) {
		path = cmp.Or(path, filepath.Join(c.DataDir, k.name+".key"))
		if err := k.ensure(path); err != nil {
			return nil, fmt.Errorf("making the %s key: %w", k.name, err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the %s key (--%s): %w", k.name, k.setting, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the %s key (--%s): %w", k.name, k.setting, err)
	}
	if info.Mode().Perm()&0o007 != 0 {
		return nil, fmt.Errorf(
			"everybody on this machine may read or change the %s key (--%s): chmod 600 it", k.name, k.setting,
		)
	}
	return raw, nil
}

// ensure makes the file whole or not at all, and never twice: of two servers that
// start at once, both read the first one's.
func (k keyFile) ensure(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	raw, err := k.make()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
