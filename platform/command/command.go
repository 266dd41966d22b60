// Package command has the data of one mutating request that its database transaction needs: the caller, the
// idempotency key, and how to render the answer. The transaction stores the rendered bytes, so that a repeated call
// gets exactly the bytes of the first answer.
package command

import "github.com/railkit/railkit/platform/auth"

// Command is a mutating request. The edge makes it, a kit passes it on, the
// store commits under it.
type Command struct {
	Principal auth.Principal
	Operation string // operation id, as in OpenAPI: "confirmWallet"
	RequestID string
	RemoteIP  string
	Key       *Key      // nil where the caller sent no Idempotency-Key
	Ceremony  *Ceremony // nil where an API key called
	Return    *Return   // nil where the request names no address to go back to
	Render    func(Reply) ([]byte, error)
	As        func(Reply) Reply // how a call answers and records what another noun did for it; nil: as that did
}

// Ceremony is the link of a passkey page, used in place of an API key. It allows one change; the commit marks it as
// finished.
type Ceremony struct {
	ID    string // the hash of its token
	Given string // digest of what was handed in: the same again gets the first answer
}

// Return is where the passkey page leads back to, as the request wants it. Package link decides whether it may.
type Return struct {
	URL   string
	State string // the caller's own; it comes back as it is
}

// Key is an Idempotency-Key as the database stores it: Hash instead of the key, and the answer encrypted by Seal.
type Key struct {
	Hash    string // of workspace, caller and key
	Request string // of method, path, query and body; another request under the key is refused
	Seal    func(answer []byte) ([]byte, error)
	Open    func(sealed []byte) ([]byte, error)
}

// Once names the command for somebody outside of the database who is to do it once: the same request under the same
// Idempotency-Key has the same name, and nothing else has. "" where there is no key.
func (c *Command) Once() string {
	if c.Key == nil {
		return ""
	}
	return c.Key.Hash + "-" + c.Key.Request
}

// Reply is what a kit answers a command with. Only 2xx is ever committed.
type Reply struct {
	Status  int
	Message string
	Data    any
	Bare    bool           // Data is the whole body, without the envelope
	Top     map[string]any // additional top-level fields: approvalId of a 202
	Audit   Audit
}

// Audit is what the audit row says about a change. A commit without an action
// is refused.
type Audit struct {
	Action      string // "wallet.create"
	Resource    string // id of what changed
	WorkspaceID string // whose record it belongs to; empty: the principal's
	Detail      map[string]string
	Before      map[string]any // of a change of settings: the fields that changed, never a secret
	After       map[string]any
}

// Answer is a committed reply: the bytes that were stored, to be sent as they are.
type Answer struct {
	Status   int
	Body     []byte
	Replayed bool
}
