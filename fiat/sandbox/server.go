// Package sandbox is a partner that behaves like one that moves real money: it
// holds stablecoins, changes them and pays bank accounts, in the words of
// Bridge's public API, on a machine of one's own and on request badly. It is a
// server with a file of its own; nothing but its client may know what is in it.
// docs/partner.md says what it does.
package sandbox

import (
	"context"
	"crypto/rsa"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/devnet"
	"github.com/railkit/railkit/fiat/sandbox/onchain"
	"github.com/railkit/railkit/store/sqlite"
)

// Config is what a partner needs.
type Config struct {
	Folder        string
	DevnetURL     string // the chains
	WebhookURL    string // where notices go; "": where the control says
	Confirmations int    // of a deposit; 0: as many as the network asks for
	Log           *slog.Logger
}

// Server is a partner.
type Server struct {
	config  Config
	key     string // that callers of the API have
	control string // that callers of the controls have
	db      *sqlite.DB
	seed    onchain.Seed
	signer  *rsa.PrivateKey
	chains  []*onchain.Chain
	devnet  *devnet.Client
	faults  faults
	handler http.Handler

	due, news, out waker // something became due; a notice is to be sent, or a transaction
	running        sync.WaitGroup
	leave          context.CancelFunc
}

// Open opens the partner of a folder, or makes it.
func Open(ctx context.Context, c Config) (*Server, error) {
	if err := os.MkdirAll(c.Folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the partner's folder: %w", err)
	}
	s := &Server{config: c, due: newWaker(), news: newWaker(), out: newWaker(), devnet: devnet.NewClient(c.DevnetURL)}
	var err error
	if err = s.readKeys(); err != nil {
		return nil, err
	}
	if s.chains, err = onchain.All(ctx, s.seed, s.devnet.RPCURL, chain.Networks(chain.Sandbox)); err != nil {
		return nil, err
	}
	if s.db, err = openStore(ctx, filepath.Join(c.Folder, "partner.db")); err != nil {
		return nil, err
	}
	s.handler = s.routes()
	return s, nil
}

// Start watches the chains, moves what is due and sends notices, until Close.
func (s *Server) Start(ctx context.Context) {
	ctx, s.leave = context.WithCancel(context.WithoutCancel(ctx))
	s.running.Go(func() { s.keepMoving(ctx) })
	s.running.Go(func() { s.keepDelivering(ctx) })
	s.running.Go(func() { watcher{s}.keepWatching(ctx) })
	s.running.Go(func() { treasury{s}.keepSending(ctx) })
}

// Close ends all that Start began.
func (s *Server) Close() error {
	if s.leave != nil {
		s.leave()
		s.running.Wait()
	}
	for _, c := range s.chains {
		c.Close()
	}
	return s.db.Close()
}

// wake tells the loops to look again.
func (s *Server) wake() {
	s.due.wake()
	s.news.wake()
	s.out.wake()
}

// waker is a bell that rings once for any number of wakes.
type waker chan struct{}

func newWaker() waker { return make(waker, 1) }

func (w waker) wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// chain is one that the partner is on.
func (s *Server) chain(slug string) (*onchain.Chain, bool) {
	i := slices.IndexFunc(s.chains, func(c *onchain.Chain) bool { return c.Network().Slug == slug })
	if i < 0 {
		return nil, false
	}
	return s.chains[i], true
}
