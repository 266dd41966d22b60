package localnet

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/child/serve"
)

// Run serves the chain of a folder on a loopback address until ctx ends. Port 0 takes a free one, which the parent is
// told.
func Run(ctx context.Context, addr, dir string, n chain.Network) error {
	listener, err := serve.Loopback(addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	c, err := Open(dir, n)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: c.Handler(""), ReadHeaderTimeout: 10 * time.Second}
	return errors.Join(serve.HTTP(ctx, "railkit-tron", listener, server, nil), c.Close())
}
