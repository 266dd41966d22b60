package wire

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// What is the same in every HTTP message signature (RFC 9421) of an agent.
const (
	SignatureAlg = "hmac-sha256"
	SignatureTag = "railkit-agent"
)

// SignatureLife is how many seconds after it was created a signature may expire, at most.
const SignatureLife = 60

// SignatureCovers are the components that it covers, in this order, and SignatureParams its parameters.
var (
	SignatureCovers = []string{"@method", "@authority", "@path", "@query", "content-digest"}
	SignatureParams = []string{"created", "expires", "nonce", "keyid", "alg", "tag"}
)

// HTTPSignature is what an agent's signature of the second form says beside the request: unlike the first form it is
// bound to a host and covers the query. One signature has one text: it is made of these members again, and never taken
// over from a header.
type HTTPSignature struct {
	Authority string `json:"authority"` // host in lower case, with a port that is not the scheme's own
	Query     string `json:"query"`     // as it came, with the "?", which stands alone where there is no query
	Created   string `json:"created"`   // decimal seconds
	Expires   string `json:"expires"`   // decimal seconds
	Nonce     string `json:"nonce"`
}

// Covered is a component that a signature covers.
type Covered struct{ Name, Value string }

// SignatureBase is the text that is signed (RFC 9421, 2.5): one line for each component, and one for the parameters,
// which the second result has as the header Signature-Input has them. No value has a line break.
func SignatureBase(covered []Covered, params string) (base, input string) {
	var b strings.Builder
	names := make([]string, len(covered))
	for i, c := range covered {
		names[i] = `"` + c.Name + `"`
		b.WriteString(names[i] + ": " + c.Value + "\n")
	}
	input = "(" + strings.Join(names, " ") + ")" + params
	return b.String() + `"@signature-params": ` + input, input
}

// Base is the text that an agent signs for a request, and the value of Signature-Input that goes with it. The body
// comes as in VerifyAgentRequest.
func (h HTTPSignature) Base(agentID, method, path, bodyHash string) (base, input string) {
	values := []string{method, h.Authority, path, h.Query, ContentDigest(bodyHash)}
	covered := make([]Covered, len(values))
	for i, name := range SignatureCovers {
		covered[i] = Covered{name, values[i]}
	}
	return SignatureBase(covered, ";created="+h.Created+";expires="+h.Expires+`;nonce="`+h.Nonce+`";keyid="`+agentID+
		`";alg="`+SignatureAlg+`";tag="`+SignatureTag+`"`)
}

// ContentDigest is the header (RFC 9530) of a body with this hash: hex of SHA-256. "" of what is no hash.
func ContentDigest(bodyHash string) string {
	sum, err := hex.DecodeString(bodyHash)
	if err != nil || len(sum) == 0 {
		return ""
	}
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum) + ":"
}
