package ratelimit

import (
	"net/http"
	"strings"

	"github.com/railkit/railkit/platform/auth"
)

// Class is a kind of call with a limit of its own.
type Class string

// The classes.
const (
	Standard  Class = "standard"
	Financial Class = "financial"
	Stops     Class = "stops"          // financial calls that only stop or tighten: counted with the others
	Failures  Class = "authentication" // calls with a wrong credential, by network
	Health    Class = "health"         // GET /v1/, by network
	Notices   Class = "notices"        // the partner's signed notices, by network
)

// stock is the limit of a caller without a higher limit of its own.
var stock = map[Class]int{
	Standard: auth.Stock.Standard, Financial: auth.Stock.Financial, Failures: 60, Health: 6000, Notices: 3000,
}

// apart lists the calls without an API key that have their own count.
var apart = map[string]Class{
	"GET /v1/": Health, "POST /v1/payout/rails/webhooks": Notices,
}

// Apart reports whether calls of the class have their own count if their caller has no API key.
func Apart(c Class) bool { return c == Health || c == Notices }

// financial lists the paths below which a change moves money or changes the right to move it.
var financial = []string{
	"/v1/signing", "/v1/transactions", "/v1/payout", "/v1/orders", "/v1/action/execute",
	"/v1/protocols/lending/aave/execute",
}

// exports are reads that cost as much as a change: each may read all of a workspace's rows.
var exports = map[string]bool{"GET /v1/orders/export": true}

// stops are the financial calls that stop something, take a right away, or begin what waits. They count with the other
// financial ones, and are served while the shared count is away: what cannot be stopped meanwhile goes on paying. Of
// the PATCH calls among them some may also loosen; they need a passkey's stamp for that, or what they loosen waits.
var stops = map[string]bool{
	"DELETE /v1/signing/passkeys/{id}":                                      true,
	"PATCH /v1/signing/policies/{id}":                                       true,
	"DELETE /v1/signing/policies/{id}":                                      true,
	"DELETE /v1/signing/payees/{id}":                                        true,
	"PATCH /v1/signing/approval-config":                                     true,
	"POST /v1/signing/approvals/{id}/reject":                                true,
	"POST /v1/signing/recovery/initiate":                                    true,
	"POST /v1/signing/recovery/sync":                                        true, // begins the delay
	"PATCH /v1/signing/recovery":                                            true,
	"POST /v1/signing/recovery/{id}/cancel":                                 true,
	"DELETE /v1/transactions/sign/{transactionId}":                          true,
	"PATCH /v1/payout/recipients/{id}/status":                               true,
	"PATCH /v1/payout/recipients/{id}/accounts/{accountId}":                 true,
	"POST /v1/payout/offramp/withdraw-addresses/{id}/return-address/cancel": true,
	"POST /v1/payout/batches/{id}/cancel":                                   true,
	"POST /v1/orders/{id}/cancel":                                           true,
}

// Counted is the class that calls of this one are counted and shown in.
func (c Class) Counted() Class {
	if c == Stops {
		return Financial
	}
	return c
}

// payments are calls elsewhere that move money.
var payments = map[string]bool{"POST /v1/agents/{id}/sign-transaction": true}

// ClassOf is the class of a call. Reads are standard, except health and exports.
func ClassOf(method, path string) Class {
	if c := apart[method+" "+path]; c != "" {
		return c
	}
	if stops[method+" "+path] {
		return Stops
	}
	if exports[method+" "+path] || payments[method+" "+path] {
		return Financial
	}
	switch method {
	case http.MethodPost, http.MethodPatch, http.MethodDelete:
	default:
		return Standard
	}
	for _, prefix := range financial {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			return Financial
		}
	}
	return Standard
}

// LimitOf is how many calls a minute of the class the limits allow.
func LimitOf(l auth.Limits, c Class) int {
	c = c.Counted()
	return max(map[Class]int{Standard: l.Standard, Financial: l.Financial}[c], stock[c])
}
