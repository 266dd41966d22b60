package stamp

import (
	"bytes"
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/binary"
	"math/big"
	"slices"
	"testing"
)

func TestSigning_S11_SignatureIsStrictDER(t *testing.T) {
	n := elliptic.P256().Params().N
	edit := func(f func(r, s *big.Int) []byte) func(*assertionCase) {
		return func(c *assertionCase) {
			c.signature = func(der []byte) []byte { return f(splitDER(der)) }
		}
	}
	raw := func(f func([]byte) []byte) func(*assertionCase) { return func(c *assertionCase) { c.signature = f } }
	const bad = "signature does not verify"
	runAssertions(t, []assertionRow{
		{"as signed", untouched, ""},
		{"re-encoded", edit(func(r, s *big.Int) []byte { return der(signed(r), signed(s)) }), ""},
		// Both twins verify: activities are keyed on the body, never on the signature.
		{"twin with n-s",
			edit(func(r, s *big.Int) []byte { return der(signed(r), signed(new(big.Int).Sub(n, s))) }), ""},
		{"r negative", edit(func(r, s *big.Int) []byte { return der(forceNegative(r), signed(s)) }), bad},
		{"s negative", edit(func(r, s *big.Int) []byte { return der(signed(r), forceNegative(s)) }), bad},
		{"r with a spare zero",
			edit(func(r, s *big.Int) []byte { return der(append([]byte{0}, signed(r)...), signed(s)) }), bad},
		{"s with a spare zero",
			edit(func(r, s *big.Int) []byte { return der(signed(r), append([]byte{0}, signed(s)...)) }), bad},
		{"r zero", edit(func(_, s *big.Int) []byte { return der([]byte{0}, signed(s)) }), bad},
		{"s zero", edit(func(r, _ *big.Int) []byte { return der(signed(r), []byte{0}) }), bad},
		{"both zero", edit(func(_, _ *big.Int) []byte { return der([]byte{0}, []byte{0}) }), bad},
		{"both of no length", edit(func(_, _ *big.Int) []byte { return der(nil, nil) }), bad},
		{"r is n", edit(func(_, s *big.Int) []byte { return der(signed(n), signed(s)) }), bad},
		{"s is n", edit(func(r, _ *big.Int) []byte { return der(signed(r), signed(n)) }), bad},
		{"r plus n", edit(func(r, s *big.Int) []byte { return der(signed(new(big.Int).Add(r, n)), signed(s)) }), bad},
		{"s plus n", edit(func(r, s *big.Int) []byte { return der(signed(r), signed(new(big.Int).Add(s, n))) }), bad},
		{"long form of the length", edit(func(r, s *big.Int) []byte {
			d := der(signed(r), signed(s))
			return slices.Concat([]byte{0x30, 0x81}, d[1:])
		}), bad},
		{"indefinite length",
			raw(func(d []byte) []byte { return slices.Concat([]byte{0x30, 0x80}, d[2:], []byte{0, 0}) }), bad},
		{"trailing byte", raw(func(d []byte) []byte { return append(d, 0) }), bad},
		{"trailing byte inside", raw(func(d []byte) []byte {
			d = append(d, 0)
			d[1]++
			return d
		}), bad},
		{"third number", raw(func(d []byte) []byte {
			d = append(d, 2, 1, 1)
			d[1] += 3
			return d
		}), bad},
		{"cut off", raw(func(d []byte) []byte { return d[:len(d)-1] }), bad},
		{"set instead of sequence", raw(func(d []byte) []byte {
			d[0] = 0x31
			return d
		}), bad},
		{"fixed 64 bytes", edit(func(r, s *big.Int) []byte {
			return append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
		}), bad},
		{"r and s exchanged", edit(func(r, s *big.Int) []byte { return der(signed(s), signed(r)) }), bad},
	})
}

// der puts two integers, given as their contents, into one sequence.
func der(r, s []byte) []byte {
	body := slices.Concat([]byte{2, byte(len(r))}, r, []byte{2, byte(len(s))}, s)
	return append([]byte{0x30, byte(len(body))}, body...)
}

// splitDER reads what der of this package or an honest signer made.
func splitDER(raw []byte) (r, s *big.Int) {
	size := int(raw[3])
	return new(big.Int).SetBytes(raw[4 : 4+size]), new(big.Int).SetBytes(raw[4+size+2:])
}

// signed is the content of a positive ASN.1 integer.
func signed(n *big.Int) []byte {
	raw := n.Bytes()
	if len(raw) == 0 || raw[0] >= 0x80 {
		return append([]byte{0}, raw...)
	}
	return raw
}

// forceNegative is n without the zero that keeps it positive, on 32 bytes with
// the top bit set.
func forceNegative(n *big.Int) []byte {
	raw := n.FillBytes(make([]byte, 32))
	raw[0] |= 0x80
	return raw
}

func TestSigning_S12_AlgorithmIsTheStoredKeys(t *testing.T) {
	const bad = "signature does not verify"
	keys := map[string]testKey{"ES256": newES256(), "EdDSA": newEdDSA(), "RS256": newRS256()}
	for stored, mine := range keys {
		for used, theirs := range keys {
			t.Run(stored+" key, "+used+" signature", func(t *testing.T) {
				c := goodAssertion(theirs)
				c.cred.PublicKey = mine.cose
				_, err := c.run()
				if stored == used {
					wantReason(t, err, "")
					return
				}
				wantReason(t, err, bad)
			})
		}
	}
}

func TestSigning_S12_KeysAreSound(t *testing.T) {
	x, y := pointOf(newES256().cose)
	offCurve := flipLastBit(y)
	modulus := bytes.Repeat([]byte{0xff}, 256)
	small := append([]byte{0x7f}, bytes.Repeat([]byte{0xff}, 255)...)
	large := append([]byte{0x01}, bytes.Repeat([]byte{0xff}, 512)...)
	even := append(bytes.Repeat([]byte{0xff}, 255), 0xfe)
	f4, three := []byte{1, 0, 1}, []byte{3}
	ed := newEdDSA().cose
	ed = ed[len(ed)-32:]
	okp := func(raw []byte) map[int64]any { return map[int64]any{1: 1, 3: -8, -1: 6, -2: raw} }
	with := func(m map[int64]any, label int64, value any) []byte { m[label] = value; return coseBytes(m) }
	const alg, shape, curve = "algorithm is not accepted", "not an uncompressed P-256 key", "not a point of P-256"
	const exponent, size, sound = "exponent 65537", "2048 to 4096 bits", "not a sound point"
	for _, row := range []struct {
		name   string
		cose   []byte
		reason string
	}{
		{"ES256", coseBytes(ec2(x, y)), ""},
		{"off the curve", coseBytes(ec2(x, offCurve)), curve},
		{"zero point", coseBytes(ec2(make([]byte, 32), make([]byte, 32))), curve},
		{"coordinate of p", coseBytes(ec2(elliptic.P256().Params().P.Bytes(), y)), curve},
		{"compressed", with(ec2(x, y), -3, true), shape},
		{"short coordinate", coseBytes(ec2(x[:31], y)), shape},
		{"long coordinate", coseBytes(ec2(append([]byte{0}, x...), y)), shape},
		{"coordinate missing", coseBytes(map[int64]any{1: 2, 3: -7, -1: 1, -2: x}), shape},
		{"coordinate is text", with(ec2(x, y), -2, string(bytes.Repeat([]byte{'x'}, 32))), shape},
		{"P-384 curve", with(ec2(x, y), -1, 2), shape},
		{"secp256k1 curve", with(ec2(x, y), -1, 8), shape},
		{"key id", with(ec2(x, y), 2, []byte("id")), shape},
		{"key operations", with(ec2(x, y), 4, []any{2}), shape},
		{"private key inside", with(ec2(x, y), -4, make([]byte, 32)), shape},
		{"ES384", with(ec2(x, y), 3, -35), alg},
		{"ES256K", with(ec2(x, y), 3, -47), alg},
		{"RS256 named by an EC key", with(ec2(x, y), 3, -257), alg},
		{"ES256 named by an RSA key", with(rsaCOSE(modulus, f4), 3, -7), alg},
		{"EdDSA named by an EC key", with(ec2(x, y), 3, -8), alg},
		{"no algorithm", coseBytes(map[int64]any{1: 2, -1: 1, -2: x, -3: y}), alg},
		{"algorithm is bytes", with(ec2(x, y), 3, []byte{1}), alg},
		{"no type", coseBytes(map[int64]any{3: -7, -1: 1, -2: x, -3: y}), alg},

		{"RS256, 2048 bits", coseBytes(rsaCOSE(modulus, f4)), ""},
		{"RS256, 4096 bits", coseBytes(rsaCOSE(bytes.Repeat([]byte{0xff}, 512), f4)), ""},
		{"RS256, 2047 bits", coseBytes(rsaCOSE(small, f4)), size},
		{"RS256, 512 bits", coseBytes(rsaCOSE(modulus[:64], f4)), size},
		{"RS256, 4097 bits", coseBytes(rsaCOSE(large, f4)), size},
		{"RS256, even", coseBytes(rsaCOSE(even, f4)), size},
		{"RS256, no modulus", coseBytes(rsaCOSE(nil, f4)), size},
		{"RS256, zero in front", coseBytes(rsaCOSE(append([]byte{0}, modulus...), f4)), size},
		{"RS256, e is 1", coseBytes(rsaCOSE(modulus, []byte{1})), exponent},
		{"RS256, e is 3", coseBytes(rsaCOSE(modulus, three)), exponent},
		{"RS256, e with a zero in front", coseBytes(rsaCOSE(modulus, []byte{0, 1, 0, 1})), exponent},
		{"RS256, e is a number", with(rsaCOSE(modulus, f4), -2, 65537), exponent},
		{"RS256, d inside", with(rsaCOSE(modulus, f4), -3, modulus), exponent},
		{"PS256", with(rsaCOSE(modulus, f4), 3, -37), alg},
		{"RS1", with(rsaCOSE(modulus, f4), 3, -65535), alg},

		{"EdDSA", coseBytes(okp(ed)), ""},
		{"EdDSA, short", coseBytes(okp(ed[1:])), "not an Ed25519 key"},
		{"EdDSA, X25519", with(okp(ed), -1, 4), "not an Ed25519 key"},
		{"EdDSA, Ed448", with(okp(make([]byte, 57)), -1, 7), "not an Ed25519 key"},
		{"EdDSA, key id", with(okp(ed), 2, []byte{1}), "not an Ed25519 key"},
		{"EdDSA, y is 2, off the curve", coseBytes(okp(littleEndian(big.NewInt(2)))), sound},
		{"EdDSA, y is p+3, not canonical",
			coseBytes(okp(littleEndian(new(big.Int).Add(ed25519P, big.NewInt(3))))), sound},
		{"EdDSA, y is 3", coseBytes(okp(littleEndian(big.NewInt(3)))), ""},
		{"empty", nil, "not a COSE key"},
		{"null", []byte{0xf6}, alg},
		{"array", []byte{0x80}, "not a COSE key"},
		{"trailing byte", append(coseBytes(ec2(x, y)), 0), "not a COSE key"},
		{"text label", coseText(x, y), "not a COSE key"},
		{"member twice", duplicateMember(coseBytes(ec2(x, y))), "not a COSE key"},
		{"members in another order",
			slices.Concat(hexBytes("a50326010220012158"), []byte{32}, x, hexBytes("225820"), y), "not canonical"},
		{"number in a longer form",
			slices.Concat(hexBytes("a5180102032620012158"), []byte{32}, x, hexBytes("225820"), y), "not canonical"},
		{"same, in the canonical order", slices.Concat(hexBytes("a5010203262001215820"), x, hexBytes("225820"), y), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parseKey(row.cose)
			wantReason(t, err, row.reason)
		})
	}
}

// pointOf cuts the coordinates out of a canonical ES256 key.
func pointOf(cose []byte) (x, y []byte) { return cose[10:42], cose[45:77] }

func littleEndian(n *big.Int) []byte {
	raw := n.FillBytes(make([]byte, 32))
	slices.Reverse(raw)
	return raw
}

func coseText(x, y []byte) []byte {
	raw, err := encoding.Marshal(map[string]any{"1": 2, "3": -7, "-1": 1, "-2": x, "-3": y})
	if err != nil {
		panic(err)
	}
	return raw
}

// duplicateMember says the key type twice.
func duplicateMember(cose []byte) []byte {
	return slices.Concat([]byte{cose[0] + 1, 1, 2}, cose[1:])
}

// Under each of these keys a signature that nobody made verifies in the
// standard library, which is why this package refuses the keys.
func TestSigning_S12_SmallOrderKeysSignForAnyone(t *testing.T) {
	for _, y := range smallOrderY {
		for _, sign := range []byte{0, 0x80} {
			raw := littleEndian(y)
			raw[31] |= sign
			if soundEd25519(raw) {
				t.Errorf("accepted y = %s, sign %x", y, sign)
			}
		}
		if message := forge(littleEndian(y)); message == nil {
			t.Errorf("y = %s: no forgery found, so it need not be refused", y)
		}
	}
}

// forge looks for a message that an all-zero s "signs" under a small-order key.
func forge(key []byte) []byte {
	for i := range uint32(1000) {
		message := binary.BigEndian.AppendUint32(nil, i)
		for _, r := range smallOrderY {
			signature := append(littleEndian(r), make([]byte, 32)...)
			if ed25519.Verify(key, message, signature) {
				return message
			}
		}
	}
	return nil
}
