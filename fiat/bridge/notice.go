package bridge

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/fiat"
)

// Notices are believed for a while only, and a clock may be a little wrong.
const (
	maxAge    = 10 * time.Minute
	maxAhead  = time.Minute
	maxNotice = 256 << 10
	maxParts  = 8
)

// ParsePublicKey reads the key of a webhook endpoint as the partner gives it.
func ParsePublicKey(text []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errKeyFile
	}
	any, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errKeyFile
	}
	key, ok := any.(*rsa.PublicKey)
	if !ok || key.N.BitLen() < 2048 || key.E < 3 {
		return nil, errKeyFile
	}
	return key, nil
}

var errKeyFile = errors.New("not an RSA public key of 2048 bits or more in PEM")

type noticeBody struct {
	EventID  string `json:"event_id"`
	Category string `json:"event_category"`
	Type     string `json:"event_type"`
	ObjectID string `json:"event_object_id"`
	Status   string `json:"event_object_status"`
	Object   struct {
		CustomerID string `json:"customer_id"`
		OnBehalfOf string `json:"on_behalf_of"`
		AddressID  string `json:"liquidation_address_id"`
		VirtualID  string `json:"virtual_account_id"`
	} `json:"event_object"`
	CreatedAt string `json:"event_created_at"`
}

// ReadNotice believes a notice that the partner signed not long ago. What it says
// of states and amounts is not read: it is asked.
func (c *Client) ReadNotice(signature string, body []byte, now time.Time) (fiat.Notice, error) {
	if c.check == nil || len(body) > maxNotice {
		return fiat.Notice{}, fiat.ErrSignature
	}
	at, err := verify(c.check, signature, body)
	if err != nil {
		return fiat.Notice{}, err
	}
	if now.Sub(at) > maxAge || at.Sub(now) > maxAhead {
		return fiat.Notice{}, fiat.ErrStale
	}
	var n noticeBody
	if err := decode(body, &n); err != nil {
		return fiat.Notice{}, err
	}
	return n.notice()
}

// verify finds one signature of the partner's among those of the header and gives
// the time that it is about. Bridge signs the digest of the digest: its documents
// say to hash and then to verify with SHA-256, and their test data agrees.
func verify(key *rsa.PublicKey, header string, body []byte) (time.Time, error) {
	stamp, signatures := pieces(header)
	ms, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || ms < 0 || len(signatures) == 0 {
		return time.Time{}, fiat.ErrSignature
	}
	hash := sha256.New()
	hash.Write([]byte(stamp + "."))
	hash.Write(body)
	digest := sha256.Sum256(hash.Sum(nil))
	for _, s := range signatures {
		raw, err := base64.StdEncoding.Strict().DecodeString(s)
		if err == nil && !strings.ContainsAny(s, "\r\n") &&
			rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], raw) == nil {
			return time.UnixMilli(ms), nil
		}
	}
	return time.Time{}, fiat.ErrSignature
}

// pieces takes a header apart: one t, and a v0 for each key while keys change.
// Other names are a later version's.
func pieces(header string) (stamp string, signatures []string) {
	parts := strings.Split(header, ",")
	if len(parts) > maxParts {
		return "", nil
	}
	for _, part := range parts {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case name == "t" && stamp != "":
			return "", nil
		case name == "t":
			stamp = value
		case name == "v0":
			signatures = append(signatures, value)
		}
	}
	return stamp, signatures
}

func (n noticeBody) notice() (fiat.Notice, error) {
	at, err := instant(n.CreatedAt)
	if err := firstOf(told(n.EventID), told(n.ObjectID), err); err != nil {
		return fiat.Notice{}, err
	}
	customer := first(n.Object.CustomerID, n.Object.OnBehalfOf)
	for _, id := range []string{customer, n.Object.AddressID, n.Object.VirtualID} {
		if id != "" && told(id) != nil {
			return fiat.Notice{}, fiat.ErrAnswer
		}
	}
	return fiat.Notice{
		EventID: n.EventID, Category: n.Category, Type: n.Type, ObjectID: n.ObjectID, ObjectStatus: n.Status,
		CustomerID: customer, AddressID: n.Object.AddressID, VirtualAccountID: n.Object.VirtualID, CreatedAt: at,
	}, nil
}
