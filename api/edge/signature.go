package edge

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dunglas/httpsfv"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/platform/auth"
)

// The headers of an agent's HTTP signature (RFC 9421, and RFC 9530 for the digest), beside X-Agent-Id.
const (
	signatureInput = "Signature-Input"
	signatureValue = "Signature"
	contentDigest  = "Content-Digest"
)

func unsigned(why string) error { return refusal.ErrAgentAuth.Msg(why) }

// readSignature puts an agent's HTTP signature into its claim, which has the rest of the request. What is read here is
// only what the signature says: the signer makes its text again, and compares.
func readSignature(r *http.Request, claim *auth.AgentClaim, apiHost string) error {
	if claim.MAC != "" || claim.Timestamp != "" {
		return unsigned("send either x-agent-auth and x-request-timestamp, or an HTTP signature")
	}
	if claim.AgentID == "" {
		return unsigned("x-agent-id is missing")
	}
	authority, err := authorityOf(r, apiHost)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(claim.Body)
	digest := wire.ContentDigest(hex.EncodeToString(sum[:]))
	if got := r.Header.Values(contentDigest); len(got) != 1 || got[0] != digest {
		return unsigned("Content-Digest is not one sha-256 of the body, as sha-256=:base64:")
	}
	label, input, err := single[httpsfv.InnerList](r.Header.Values(signatureInput), signatureInput)
	if err != nil {
		return err
	}
	signs, value, err := single[httpsfv.Item](r.Header.Values(signatureValue), signatureValue)
	if err != nil {
		return err
	}
	mac, ok := value.Value.([]byte)
	if signs != label || !ok || len(mac) != sha256.Size || len(value.Params.Names()) > 0 {
		return unsigned("Signature has no HMAC-SHA256 under the label of Signature-Input")
	}
	said, err := readInput(input, claim.AgentID)
	if err != nil {
		return err
	}
	said.Authority, said.Query = authority, "?"+r.URL.RawQuery
	_, text := wire.HTTPSignature(said).Base(claim.AgentID, "", "", "")
	if r.Header.Get(signatureInput) != label+"="+text {
		return unsigned("Signature-Input is not written as RFC 8941 serializes it")
	}
	claim.MAC, claim.HTTP = hex.EncodeToString(mac), &said
	return nil
}

// single is the one member of a dictionary that a header has, with its label.
func single[T any](values []string, header string) (label string, is T, err error) {
	if len(values) == 0 {
		return "", is, unsigned(header + " is missing")
	}
	dict, err := httpsfv.UnmarshalDictionary(values)
	if err != nil || len(values) != 1 || len(dict.Names()) != 1 {
		return "", is, unsigned(header + " does not have exactly one signature")
	}
	label = dict.Names()[0]
	found, _ := dict.Get(label)
	is, ok := found.(T)
	if !ok {
		return "", is, unsigned(header + " has a member of another type than RFC 9421 says")
	}
	return label, is, nil
}

// readInput reads what a signature covers, and its parameters.
func readInput(input httpsfv.InnerList, agentID string) (said auth.HTTPSignature, err error) {
	var covers []string
	for _, item := range input.Items {
		name, _ := item.Value.(string)
		if len(item.Params.Names()) > 0 {
			name = ""
		}
		covers = append(covers, name)
	}
	if !slices.Equal(covers, wire.SignatureCovers) {
		return said, unsigned("the signature does not cover exactly, and in this order, " +
			strings.Join(wire.SignatureCovers, ", "))
	}
	names := input.Params.Names()
	for _, name := range wire.SignatureParams {
		if !slices.Contains(names, name) {
			return said, unsigned("the signature has no " + name)
		}
	}
	if !slices.Equal(names, wire.SignatureParams) {
		return said, unsigned("the signature does not have exactly these parameters, in this order: " +
			strings.Join(wire.SignatureParams, ", "))
	}
	param := func(name string) string {
		switch v, _ := input.Params.Get(name); v := v.(type) {
		case int64:
			return strconv.FormatInt(v, 10)
		case string:
			return v
		}
		return ""
	}
	said.Created, said.Expires, said.Nonce = param("created"), param("expires"), param("nonce")
	switch {
	case param("keyid") != agentID:
		return said, unsigned("keyid is not the agent of x-agent-id")
	case param("alg") != wire.SignatureAlg:
		return said, unsigned("alg is not " + wire.SignatureAlg)
	case param("tag") != wire.SignatureTag:
		return said, unsigned("tag is not " + wire.SignatureTag)
	}
	return said, nil
}

// authorityOf is the host that the request is for, as a signature covers it. A signature that was made for another
// server must be worth nothing here, so where the operator has said at which host the API is, no other one is taken:
// whoever got hold of the signature writes the header Host.
func authorityOf(r *http.Request, apiHost string) (string, error) {
	host := strings.ToLower(r.Host)
	for _, scheme := range []string{"https", "http"} { // which it was, the proxy knows
		host = wire.Place(scheme, host)
	}
	if apiHost != "" && host != apiHost {
		return "", unsigned("the request is for another host than this API's")
	}
	return host, nil
}
