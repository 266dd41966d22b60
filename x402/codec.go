package x402

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxHeader is the most that a header may hold, decoded. Some proxies drop headers of 3.5 kB, so that nobody who
// wants to be paid sends as much.
const MaxHeader = 16 << 10

// maxBody bounds the body of a 402.
const maxBody = 256 << 10

// ErrHeader is a header that is not base64 of a JSON object in the one form that is read here.
var ErrHeader = errors.New("header is not base64 of a JSON object")

// EncodeHeader writes a value as JSON in base64, with the standard alphabet and padding.
func EncodeHeader(v any) (string, error) {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	if len(raw) > MaxHeader {
		return "", fmt.Errorf("%w: it has %d bytes, more than %d", ErrHeader, len(raw), MaxHeader)
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}

// DecodeHeader reads the JSON object of a header. It takes either alphabet of base64, padded or not, since both are
// in use. It refuses a member that is there twice, which two readers would take for two things.
func DecodeHeader(text string) (jsontext.Value, error) {
	if base64.RawStdEncoding.DecodedLen(len(text)) > MaxHeader {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrHeader, MaxHeader)
	}
	digits := strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	digits = strings.NewReplacer("-", "+", "_", "/").Replace(digits)
	// The decoder skips line breaks, which no header has.
	raw, err := base64.RawStdEncoding.Strict().DecodeString(digits)
	if err != nil || strings.ContainsAny(digits, "\r\n") {
		return nil, ErrHeader
	}
	return object(raw)
}

// object checks that JSON is one object, without a member twice. The answer is a copy.
func object(raw []byte) (jsontext.Value, error) {
	v := jsontext.Value(raw).Clone()
	if !v.IsValid() || v.Kind() != '{' {
		return nil, ErrHeader
	}
	if err := v.Compact(); err != nil {
		return nil, ErrHeader
	}
	return v, nil
}

// oneHeader is the header's value. Two are refused: a proxy might read the other one.
func oneHeader(values []string) (text string, found bool, err error) {
	switch len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	}
	return "", true, fmt.Errorf("%w: it is there %d times", ErrHeader, len(values))
}
