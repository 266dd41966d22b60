package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Bounds of a body. Freshness follows the field: a body is at most an hour old
// and at most five minutes ahead of the enclave's clock.
const (
	maxBody  = 128 << 10
	maxAge   = time.Hour
	maxAhead = 5 * time.Minute
	maxLife  = time.Hour
)

// isUUID matches the text form of RFC 9562. The library for it links
// database/sql, which the enclave must not.
var isUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// IsFingerprint reports whether text has the form of a fingerprint.
func IsFingerprint(text string) bool {
	_, ok := digestOf(text)
	return ok
}

// digest is the hash in a fingerprint.
type digest [sha256.Size]byte

const digestLabel = "sha256:"

func digestOf(fingerprint string) (p digest, ok bool) {
	digits, found := strings.CutPrefix(fingerprint, digestLabel)
	if !found || len(digits) != 2*len(p) || strings.ToLower(digits) != digits {
		return p, false
	}
	_, err := hex.Decode(p[:], []byte(digits))
	return p, err == nil
}

func (d digest) String() string { return digestLabel + hex.EncodeToString(d[:]) }

// Request is a body that was read once, and only once.
type Request struct {
	Raw         string
	Fingerprint string
	Body        wire.Body
	activity    activity
	params      any      // pointer to the parameters of Body.Type
	held        *Request // of a vote that is looked at: what it is for
}

// Parse reads a body strictly: UTF-8, no duplicate, unknown or differently
// cased members, no trailing bytes. Numbers are text, so no parser rounds one.
func Parse(raw string) (Request, error) {
	if len(raw) > maxBody {
		return Request{}, refusal.ErrBody.Msg("it is too large")
	}
	r := Request{Raw: raw, Fingerprint: wire.Fingerprint(raw)}
	if err := strict([]byte(raw), &r.Body); err != nil {
		return Request{}, refusal.ErrBody.Msg("it is not strict JSON of the known members").Because(err)
	}
	var known bool
	if r.activity, known = activities[r.Body.Type]; !known {
		return Request{}, refusal.ErrBody.Msg("type is unknown")
	}
	r.params = r.activity.params()
	if err := strict(r.Body.Parameters, r.params); err != nil {
		return Request{}, refusal.ErrBody.Msg("parameters are not strict JSON of the known members").Because(err)
	}
	if !isUUID.MatchString(r.Body.ActivityID) {
		return Request{}, refusal.ErrBody.Msg("activityId is not a UUID")
	}
	return r, nil
}

// strict says where an error is and not what: the library's own text quotes the
// body, and the cause of a refusal ends in the server's log.
func strict(raw []byte, v any) error {
	err := json.Unmarshal(raw, v, json.RejectUnknownMembers(true))
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON, or a member twice, at byte %d", syntax.ByteOffset)
	case errors.As(err, &meaning):
		return fmt.Errorf("unknown or mistyped member at byte %d", meaning.ByteOffset)
	case err != nil:
		return errors.New("not readable")
	}
	return nil
}

// checkTimes holds a body against the enclave's clock.
func checkTimes(b wire.Body, now time.Time) error {
	if b.Type == wire.CreateSubOrganization {
		if b.TimestampMs != "" || b.ExpiresAtMs != "" {
			return refusal.ErrBody.Msg("a registration is timed by its challenge, timestampMs and expiresAtMs are empty")
		}
		return nil
	}
	made, ok := millis(b.TimestampMs)
	if !ok {
		return refusal.ErrBody.Msg("timestampMs is not decimal milliseconds")
	}
	expires, ok := millis(b.ExpiresAtMs)
	if !ok || !expires.After(made) || expires.Sub(made) > maxLife {
		return refusal.ErrBody.Msg("expiresAtMs is not within an hour after timestampMs")
	}
	if made.Sub(now) > maxAhead {
		return refusal.ErrBody.Msg("timestampMs is in the future")
	}
	if now.Sub(made) > maxAge || !now.Before(expires) {
		return refusal.ErrExpired
	}
	return nil
}

func millis(text string) (time.Time, bool) {
	n, ok := number(text)
	if !ok || n > 1<<53 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(n)).UTC(), true
}

// number reads a decimal without sign, leading zero or overflow.
func number(text string) (uint64, bool) {
	if text == "" || (len(text) > 1 && text[0] == '0') || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil
}

// wei reads a decimal of at most 256 bits.
func wei(text string) (*big.Int, bool) {
	if text == "" || len(text) > 78 || (len(text) > 1 && text[0] == '0') || strings.Trim(text, "0123456789") != "" {
		return nil, false
	}
	n, ok := new(big.Int).SetString(text, 10)
	return n, ok && n.BitLen() <= 256
}

// bytesOf reads 0x-prefixed hex of whole bytes; "0x" is empty.
func bytesOf(text string) ([]byte, bool) {
	digits, found := strings.CutPrefix(text, "0x")
	if !found {
		return nil, false
	}
	raw, err := hex.DecodeString(digits)
	return raw, err == nil
}
