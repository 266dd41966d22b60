package doctor

import (
	"context"
	"errors"
	"os"

	"github.com/railkit/railkit/cmd/railkit/internal/cli"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bridge"
	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/money"
)

// checkPartner asks the partner for a rate, which needs the key and moves nothing.
func checkPartner(ctx context.Context, t target) []finding {
	if t.PartnerURL == "" {
		return []finding{{note, "partner", "no --partner-url names a payment partner: nothing is paid to banks"}}
	}
	c, err := bridge.New(bridge.Config{URL: t.PartnerURL, Key: t.PartnerKey, Timeout: dial})
	if err != nil {
		return []finding{{failure, "partner", cli.OneLine(err)}}
	}
	if _, err := c.Rate(ctx, money.USDC, money.MXN); err != nil {
		return []finding{{failure, "partner", "it gives no rate: " + rateTrouble(err)}}
	}
	if app.IsSandboxPartner(ctx, t.PartnerURL) {
		return []finding{{fine, "partner", "the sandbox's partner answers, and moves no real money"}, checkNotices(t)}
	}
	return []finding{{fine, "partner", "it answers, and takes the key"}, checkNotices(t)}
}

// checkNotices reads the key that the partner's notices are believed with.
func checkNotices(t target) finding {
	if t.PartnerWebhookKeyFile == "" {
		return finding{
			note, "notices",
			"no --partner-webhook-key-file: the partner's notices are not believed, " +
				"and what it does by itself is seen hours later",
		}
	}
	text, err := os.ReadFile(t.PartnerWebhookKeyFile)
	if err == nil {
		_, err = bridge.ParsePublicKey(text)
	}
	if err != nil {
		return finding{failure, "notices", "--partner-webhook-key-file: " + cli.OneLine(err)}
	}
	return finding{
		fine, "notices",
		"there is a key that they are believed with; " +
			"the partner has to be told to send them to /v1/payout/rails/webhooks",
	}
}

func rateTrouble(err error) string {
	if errors.Is(err, fiat.ErrUnavailable) {
		return "it does not answer, or does not take the key"
	}
	return cli.OneLine(err)
}
