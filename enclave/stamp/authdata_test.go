package stamp

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func hexBytes(text string) []byte {
	raw, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return raw
}

func TestVerify_AuthenticatorDataIsExact(t *testing.T) {
	rest := func(f flags, tail string) func(*assertionCase) {
		return func(c *assertionCase) { c.flags |= f; c.rest = hexBytes(tail) }
	}
	cut := func(size int) func(*assertionCase) {
		return func(c *assertionCase) {
			whole := b64(authDataBytes(testRPID, usualFlags, 5, nil))
			short := b64(authDataBytes(testRPID, usualFlags, 5, nil)[:size])
			c.header = func(s string) string { return strings.Replace(s, whole, short, 1) }
		}
	}
	const noMap, trailing, short = "extensions are not a CBOR map", "trailing bytes", "too short"
	runAssertions(t, []assertionRow{
		{"37 bytes", untouched, ""},
		{"reserved bits", rest(1<<1|1<<5, ""), ""},
		{"extensions", rest(flagExtensions, "a16b6372656450726f7465637402"), ""},
		{"36 bytes", cut(36), short},
		{"1 byte", cut(1), short},
		{"trailing byte", rest(0, "00"), trailing},
		{"extensions without their flag", rest(0, "a0"), trailing},
		{"flag without extensions", rest(flagExtensions, ""), noMap},
		{"bytes after extensions", rest(flagExtensions, "a000"), trailing},
		{"extensions are null", rest(flagExtensions, "f6"), noMap},
		{"extensions are an array", rest(flagExtensions, "80"), noMap},
		{"extension twice", rest(flagExtensions, "a2616101616102"), noMap},
		{"extensions of indefinite length", rest(flagExtensions, "bfff"), noMap},
		{"extensions tagged", rest(flagExtensions, "c1a0"), noMap},
		{"extension key is a number", rest(flagExtensions, "a10102"), noMap},
		{"attested data, nothing there", rest(flagAttested, ""), short},
		{"attested data in an assertion", func(c *assertionCase) {
			c.flags |= flagAttested
			c.rest = attestedBytes([16]byte{}, []byte("credential-1"), c.key.cose)
		}, "carries attested credential data"},
	})
}

func TestParseAuthenticatorData_Attested(t *testing.T) {
	key := newES256().cose
	whole := attestedBytes([16]byte{1, 2}, []byte("id"), key)
	long := bytes.Repeat([]byte{7}, maxCredentialID+1)
	for _, row := range []struct {
		name   string
		rest   []byte
		reason string
	}{
		{"whole", whole, ""},
		{"longest id", attestedBytes([16]byte{}, long[1:], key), ""},
		{"id too long", attestedBytes([16]byte{}, long, key), "wrong length"},
		{"id empty", attestedBytes([16]byte{}, nil, key), "wrong length"},
		{"id longer than the data", whole[:19], "wrong length"},
		{"id length cut off", whole[:17], "too short"},
		{"key missing", whole[:20], "public key is not a CBOR map"},
		{"key cut off", whole[:len(whole)-1], "public key is not a CBOR map"},
		{"key is null", attestedBytes([16]byte{}, []byte("id"), []byte{0xf6}), "public key is not a CBOR map"},
		{"key is an array", attestedBytes([16]byte{}, []byte("id"), []byte{0x80}), "public key is not a CBOR map"},
		{"key has a member twice", attestedBytes([16]byte{}, []byte("id"), duplicateMember(key)),
			"public key is not a CBOR map"},
		{"byte after the key", append(bytes.Clone(whole), 0), "trailing bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, err := parseAuthenticatorData(authDataBytes(testRPID, usualFlags|flagAttested, 0, row.rest))
			wantReason(t, err, row.reason)
			if err == nil && !bytes.Equal(d.attested.publicKey, key) {
				t.Error("the key is not the bytes that were sent")
			}
		})
	}
}

func TestFormatAAGUID(t *testing.T) {
	id := [16]byte(hexBytes("8446ccb9ab1db374750b2367ff6f3a1f"))
	if got := formatAAGUID(id); got != "8446ccb9-ab1d-b374-750b-2367ff6f3a1f" {
		t.Error(got)
	}
}
