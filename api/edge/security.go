package edge

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/platform/auth"
)

// schemes are how callers prove who they are. An agent sends three headers.
var schemes = map[string]*huma.SecurityScheme{
	"apiKey": {
		Type: "apiKey", In: "header", Name: "Authorization",
		Description: "`Authorization: ApiKey <API_KEY>`",
	},
	"session": {
		Type: "http", Scheme: "bearer", BearerFormat: "JWT",
		Description: "A member's session: `Authorization: Bearer <TOKEN>`. What it opens, the member's role says; the workspace is always its own.",
	},
	"agentId": {Type: "apiKey", In: "header", Name: agentID, Description: "The agent's id"},
	"agentTimestamp": {
		Type: "apiKey", In: "header", Name: agentTimestamp,
		Description: "Seconds since 1970, ten digits, at most 60 from the server's",
	},
	"agentAuth": {
		Type: "apiKey", In: "header", Name: agentAuth,
		Description: "Lower-case hex of HMAC-SHA256, under the agent's secret as UTF-8 text, of method, path, timestamp and body hash, with " +
			"nothing between them. The path has `/v1` and no query; the body hash is the lower-case hex of SHA-256 of the bytes sent, of none " +
			"where there is no body. A write is accepted once, and without a query",
	},
}

// security says which of the schemes callers of the kinds show, any one of the list.
func security(kinds []auth.Kind) []map[string][]string {
	of := map[auth.Kind]map[string][]string{
		auth.ByKey: {"apiKey": {}}, auth.BySession: {"session": {}},
		auth.ByAgent: {"agentId": {}, "agentTimestamp": {}, "agentAuth": {}},
	}
	all := []map[string][]string{} // empty, not absent: no credential at all
	for _, kind := range kinds {
		all = append(all, of[kind])
	}
	return all
}

// challenge names the schemes of the Authorization header that an operation
// takes. One that takes none, as agents' own, names those of the others.
func challenge(o *operation) string {
	callers := stockCallers
	if o != nil && (slices.Contains(o.Callers, auth.ByKey) || slices.Contains(o.Callers, auth.BySession)) {
		callers = o.Callers
	}
	var names []string
	if slices.Contains(callers, auth.ByKey) {
		names = append(names, "ApiKey")
	}
	if slices.Contains(callers, auth.BySession) {
		names = append(names, "Bearer")
	}
	return strings.Join(names, ", ")
}
