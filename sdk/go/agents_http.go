package railkit

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/railkit/railkit/enclave/wire"
)

// The headers of the second form.
const (
	headerSignatureInput = "Signature-Input"
	headerSignature      = "Signature"
	headerContentDigest  = "Content-Digest"
)

// signHTTP adds the headers of an HTTP signature (RFC 9421). It covers the query, and its nonce makes equal requests of
// one second differ.
func (s *AgentSigner) signHTTP(req *http.Request, body []byte) {
	now, random := s.now().Unix(), make([]byte, 16)
	_, _ = rand.Read(random) // never fails: it ends the program where there is no randomness
	id := strings.ToLower(s.id)
	q := wire.VerifyAgentRequest{
		AgentID: id, Method: req.Method, Path: req.URL.EscapedPath(), BodyHash: wire.Digest(string(body)),
		HTTP: &wire.HTTPSignature{
			Authority: authorityOf(req), Query: "?" + req.URL.RawQuery, Created: strconv.FormatInt(now, 10),
			Expires: strconv.FormatInt(now+wire.SignatureLife, 10), Nonce: base64.RawURLEncoding.EncodeToString(random),
		},
	}
	if q.Path == "" {
		q.Path = "/"
	}
	_, input := q.HTTP.Base(id, q.Method, q.Path, q.BodyHash)
	mac, _ := hex.DecodeString(wire.AgentMAC(s.secret, q.Message())) // is hex
	req.Header.Set(headerAgentID, id)
	req.Header.Set(headerContentDigest, wire.ContentDigest(q.BodyHash))
	req.Header.Set(headerSignatureInput, "agent="+input)
	req.Header.Set(headerSignature, "agent=:"+base64.StdEncoding.EncodeToString(mac)+":")
	req.Header.Set(headerSDKVersion, sdkVersion)
}

// authorityOf is the host of a request without the port that its scheme has anyway.
func authorityOf(req *http.Request) string {
	port := ":443"
	if req.URL.Scheme == "http" {
		port = ":80"
	}
	return strings.TrimSuffix(strings.ToLower(req.URL.Host), port)
}
