package railkit

import "context"

type idempotencyKey struct{}

// WithIdempotencyKey makes the next mutation under ctx carry this key instead
// of a new one. It must be a UUID v4 and belong to one logical operation: with
// it, an operation can be repeated safely even after the process died. In the
// high-level calls it is the key of prepare, which decides the rest.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// IdempotencyKey is that of WithIdempotencyKey, or "".
func IdempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(idempotencyKey{}).(string)
	return key
}

// withoutKey is for the second step of a high-level call.
func withoutKey(ctx context.Context) context.Context { return WithIdempotencyKey(ctx, "") }
