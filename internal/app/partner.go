package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat/sandbox/control"
	"github.com/railkit/railkit/internal/config"
)

// refuseSandboxPartner ends the start of a production server whose partner is the
// sandbox's: what it says to have paid nobody has. One that does not answer now is
// not judged.
func (a *App) refuseSandboxPartner(ctx context.Context) error {
	if a.config.Environment == string(chain.Production) && IsSandboxPartner(ctx, a.config.PartnerURL) {
		return fmt.Errorf("%s: production refuses the sandbox's partner", config.Called("partner-url"))
	}
	return nil
}

// IsSandboxPartner tells whether a partner says that it is the sandbox's own.
func IsSandboxPartner(ctx context.Context, url string) bool {
	if url == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(url, "/")+"/healthz", nil)
	if err != nil {
		return false
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.Header.Get(control.Header) == control.Name
}
