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
	"fmt"
	"runtime"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/railkit/railkit/platform/ratelimit"
)

// patience is how long one call waits for Redis, connecting included. It is longer
// than a busy machine's hiccup, which would refuse payments as an outage does; few
// calls wait in an outage, since ratelimit.Outage asks only now and then.
//
// No call is tried twice: a second try could count twice, and would be late; the caller has a rule for outages.
const patience = time.Second

// idle is how long a connection is kept that nobody uses.
const idle = 30 * time.Minute

// perProcessor is how many connections there may be for each processor. Who finds all in use waits for one, within
// the patience.
const perProcessor = 10

//go:embed take.lua
var source string

// Redis is a connection to the server that counts.
type Redis struct {
	pool     *redis.Pool
	script   *redis.Script
	patience time.Duration
}

// Open takes a URL and connects at the first call: a Redis that is away then is
// the same outage as one that goes away later.
func Open(url string) (*Redis, error) {
	server, err := ParseURL(url)
	if err != nil {
		return nil, err
	}
	most := perProcessor * runtime.GOMAXPROCS(0)
	return &Redis{&redis.Pool{
		DialContext:  func(ctx context.Context) (redis.Conn, error) { return server.Dial(ctx) },
		TestOnBorrow: func(c redis.Conn, _ time.Time) error { return c.(*Conn).alive() },
		MaxActive:    most, MaxIdle: most, Wait: true, IdleTimeout: idle,
	}, redis.NewScript(1, source), patience}, nil
}

// Address names the server of a URL without user and password; "none" where there
// is no URL.
func Address(url string) string {
	if url == "" {
		return "none"
	}
	server, err := ParseURL(url)
	if err != nil {
		return "unknown"
	}
	return server.String()
}

// Close lets go of the connections.
func (r *Redis) Close() error { return r.pool.Close() }

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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.redis.patience)
	defer cancel()
	key := l.prefix + ":" + string(class) + ":" + who
	n, err := l.redis.count(ctx, key, l.window.Microseconds(), limit)
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

// count runs the script. The server keeps it until it is started again.
func (r *Redis) count(ctx context.Context, key string, window int64, limit int) ([]int64, error) {
	c, err := r.pool.GetContext(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close() // gives it back, or lets go of it where it is broken
	return redis.Int64s(r.script.DoContext(ctx, c, key, window, limit))
}
