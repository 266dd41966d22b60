package workspace

import "github.com/railkit/railkit/fault"

var (
	// ErrBeyond refuses to make a key that could do more than who makes it.
	ErrBeyond = fault.Define(fault.Forbidden, "key_beyond_caller", "The API key would have more rights than its maker",
		"A scope opens what the caller itself may not do, or rate limits were asked for by another than an ADMIN key")
	// ErrTooManyKeys asks to revoke a key first.
	ErrTooManyKeys = fault.Define(fault.Unprocessable, "too_many_api_keys",
		"The workspace has too many active API keys",
		"A workspace has at most 100 keys that are neither revoked nor expired: revoke one that is not needed")
)
