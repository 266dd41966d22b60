// Package redislimit counts calls in a Redis that several processes share, with
// the verdicts of ratelimit.Memory.
//
// All of a call happens in one script on the server, by the server's clock, so
// that the window is exact however many processes ask and whatever their clocks
// say. A Redis that is started again without its data has forgotten the counts.
package redislimit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/railkit/railkit/platform/ratelimit"
)

// patience is how long one call waits for Redis, connecting included. It is longer
// than a busy machine's hiccup, which would refuse payments as an outage does; few
// calls wait in an outage, since ratelimit.Outage asks only now and then.
const patience = time.Second

//go:embed take.lua
var source string

// Redis is a connection to the server that counts.
type Redis struct {
	client *redis.Client
	script *redis.Script
}

// ErrURL says nothing of the URL, which may hold a password.
var ErrURL = errors.New(
	"the URL of Redis must be of the form redis://user:password@host:6379/0, rediss:// for TLS, or unix:///path",
)

// Open takes a URL and connects at the first call: a Redis that is away then is
// the same outage as one that goes away later.
func Open(url string) (*Redis, error) {
	o, err := redis.ParseURL(url)
	if err != nil {
		return nil, ErrURL
	}
	// A second try could count twice, and would be late; the caller has a rule for
	// outages. None of what the URL may say of these is taken.
	o.MaxRetries, o.DialerRetries = -1, 1
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	o.ContextTimeoutEnabled = true
	// Nothing is asked of the server but the script, so that few rights are enough.
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	logging.Disable() // its lines are not of this log's form; what fails is returned
	return &Redis{redis.NewClient(o), redis.NewScript(source)}, nil
}

// Address names the server of a URL without user and password; "none" where there
// is no URL.
func Address(url string) string {
	if url == "" {
		return "none"
	}
	o, err := redis.ParseURL(url)
	if err != nil {
		return "unknown"
	}
	return o.Addr + "/" + strconv.Itoa(o.DB)
}

// Close lets go of the connections.
func (r *Redis) Close() error { return r.client.Close() }

// Answers asks for a count as every call does, with the same rights, and says whether
// there was an answer.
func (r *Redis) Answers(ctx context.Context, prefix string) error {
	_, err := r.Limiter(prefix, time.Second).Take(ctx, "server", ratelimit.Standard, 1)
	return err
}

// Limiter counts under names that begin with the prefix.
type Limiter struct {
	redis  *Redis
	prefix string
	window time.Duration
}

// Limiter makes one. Limiters of one prefix, in whatever process, share their counts.
func (r *Redis) Limiter(prefix string, window time.Duration) *Limiter {
	return &Limiter{r, prefix, window}
}

// Take counts a call and says whether it is admitted. A caller that hangs up does
// not end it: that would look like an outage.
func (l *Limiter) Take(ctx context.Context, who string, class ratelimit.Class, limit int) (ratelimit.Verdict, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	key := l.prefix + ":" + string(class) + ":" + who
	n, err := l.redis.script.Run(ctx, l.redis.client, []string{key}, l.window.Microseconds(), limit).Int64Slice()
	if err != nil {
		return ratelimit.Verdict{}, fmt.Errorf("counting in Redis: %w", err)
	}
	if len(n) != 4 {
		return ratelimit.Verdict{}, fmt.Errorf("counting in Redis: %d numbers came back", len(n))
	}
	return ratelimit.Verdict{
		Admitted: n[0] == 1, Limit: limit, Remaining: max(0, limit-int(n[1])),
		Reset: time.Duration(n[2]) * time.Microsecond, At: time.UnixMicro(n[3]).UTC(),
	}, nil
}
