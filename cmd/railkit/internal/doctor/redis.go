package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"

	"github.com/railkit/railkit/platform/ratelimit/redislimit"
)

// oldestRedis is the oldest version that its makers still mend, or distributions do.
const oldestRedis = 6

// checkRedis looks whether limits are counted where several servers can count,
// and whether the count stays.
func checkRedis(ctx context.Context, t target) []finding {
	if t.RedisURL == "" {
		return []finding{{note, "redis",
			"none is named: each server counts rate limits by itself, which is right for one"}}
	}
	server, err := redislimit.ParseURL(t.RedisURL)
	if err != nil {
		return []finding{{failure, "redis", "RAILKIT_REDIS_URL is not of the form redis://user:password@host:port/0"}}
	}
	ctx, cancel := context.WithTimeout(ctx, dial)
	defer cancel()
	c, err := server.Dial(ctx)
	if err == nil {
		defer c.Close()
		_, err = c.DoContext(ctx, "PING")
	}
	if err != nil {
		return []finding{{failure, "redis",
			redisFault(err) + ": until it does, requests are treated as the two settings rate-limit-outage say"}}
	}
	info, _ := redis.String(c.DoContext(ctx, "INFO", "server")) // what it does not tell is a finding
	return append(checkRedisVersion(info), checkEviction(ctx, c))
}

// redisFault says in words of our own what is wrong, since a text of the server's
// could repeat what it was given.
func redisFault(err error) string {
	var said redis.Error
	if errors.As(err, &said) {
		return "it refuses this user or password"
	}
	return "it does not answer"
}

func checkRedisVersion(info string) []finding {
	_, rest, _ := strings.Cut(info, "redis_version:")
	text, _, _ := strings.Cut(rest, "\r")
	var major int
	if _, err := fmt.Sscanf(text, "%d.", &major); err != nil {
		return []finding{{warning, "redis", "it answers, and does not tell its version"}}
	}
	if major < oldestRedis {
		return []finding{{failure, "redis",
			fmt.Sprintf("it answers as version %d, which is too old: use %d or newer", major, oldestRedis)}}
	}
	return []finding{{fine, "redis", fmt.Sprintf("it answers as version %s", text)}}
}

// checkEviction looks whether Redis throws counts away when its memory is full:
// who then floods it lifts everybody's limits.
func checkEviction(ctx context.Context, c redis.ConnWithContext) finding {
	got, err := redis.StringMap(c.DoContext(ctx, "CONFIG", "GET", "maxmemory-policy"))
	switch policy := got["maxmemory-policy"]; {
	case err != nil || policy == "":
		return finding{warning, "redis", "it does not tell its maxmemory-policy: make sure that it is noeviction"}
	case policy != "noeviction":
		return finding{failure, "redis", "with a full memory it forgets counts: set maxmemory-policy noeviction"}
	}
	return finding{fine, "redis", "it keeps its counts when its memory is full"}
}
