package stamp

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"github.com/railkit/railkit/enclave/wire"
)

// Each target holds that nothing panics, that every refusal is an ErrInvalid,
// and that what is accepted means the same to an implementation of others.

func FuzzClientData(f *testing.F) {
	for _, v := range readLevel3(f).Vectors {
		f.Add([]byte(v.Registration.ClientDataJSON))
		f.Add([]byte(v.Authentication.ClientDataJSON))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := parseClientData(raw)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		// The standard decoder also matches names of another case; where none is,
		// both must read the same. It fails on members that are typed otherwise,
		// which checkOrigin refuses or nobody looks at.
		var other protocol.CollectedClientData
		if !onlyExactNames(raw) || json.Unmarshal(raw, &other) != nil {
			return
		}
		if string(other.Type) != c.Type || other.Challenge != c.Challenge || other.Origin != c.Origin {
			t.Errorf("read %+v, go-webauthn reads %+v", c, other)
		}
	})
}

// onlyExactNames tells that no member differs from ours in case alone.
func onlyExactNames(raw []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return false
	}
	ours := []string{"type", "challenge", "origin", "crossOrigin", "topOrigin"}
	for name := range members {
		exact := slices.Contains(ours, name)
		folded := slices.ContainsFunc(ours, func(o string) bool { return bytes.EqualFold([]byte(o), []byte(name)) })
		if folded && !exact {
			return false
		}
	}
	return true
}

func FuzzAuthenticatorData(f *testing.F) {
	for _, v := range readLevel3(f).Vectors {
		f.Add([]byte(v.Authentication.AuthenticatorData))
		if object, err := parseAttestationObject(v.Registration.AttestationObject); err == nil {
			f.Add(object.authData)
		}
	}
	for _, tail := range []string{"", "f6", "a0", "bfff", "a2616101616102", "c1a0"} {
		f.Add(authDataBytes(testRPID, usualFlags|flagExtensions, 1, hexBytes(tail)))
		f.Add(authDataBytes(testRPID, usualFlags|flagAttested, 1,
			hexBytes("00000000000000000000000000000000000101"+tail)))
	}
	f.Add(authDataBytes(testRPID, usualFlags|flagExtensions, 1, hexBytes("a16b6372656450726f7465637402")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := parseAuthenticatorData(raw)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		if !bytes.HasPrefix(raw, d.again()) || (!d.has(flagExtensions) && len(raw) != len(d.again())) {
			t.Error("what was read is not what was sent")
		}
		var other protocol.AuthenticatorData
		if err := other.Unmarshal(raw); err != nil {
			t.Fatalf("accepted, but go-webauthn refuses: %v", err)
		}
		if other.Counter != d.signCount || byte(other.Flags) != byte(d.flags) ||
			!bytes.Equal(other.RPIDHash, d.rpIDHash[:]) {
			t.Errorf("read %+v, go-webauthn reads %+v", d, other)
		}
		if a := d.attested; a != nil &&
			(!bytes.Equal(a.id, other.AttData.CredentialID) || !bytes.Equal(a.aaguid[:], other.AttData.AAGUID)) {
			t.Errorf("read %+v, go-webauthn reads %+v", a, other.AttData)
		}
	})
}

// again spells what was read, up to the extensions.
func (d authenticatorData) again() []byte {
	raw := binary.BigEndian.AppendUint32(append(slices.Clone(d.rpIDHash[:]), byte(d.flags)), d.signCount)
	if a := d.attested; a != nil {
		raw = append(raw, attestedBytes(a.aaguid, a.id, a.publicKey)...)
	}
	return raw
}

func FuzzCOSEKey(f *testing.F) {
	for _, v := range readLevel3(f).Vectors {
		f.Add(v.registered(f).attested.publicKey)
	}
	for _, m := range []map[int64]any{
		ec2(make([]byte, 32), make([]byte, 32)), {1: 2, 3: -7, -1: 1, -2: make([]byte, 32), -3: true},
		rsaCOSE(bytes.Repeat([]byte{0xff}, 256), []byte{1, 0, 1}),
		{1: 1, 3: -8, -1: 6, -2: littleEndian(big.NewInt(3))},
	} {
		f.Add(coseBytes(m))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		key, err := parseKey(raw)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		other, err := webauthncose.ParsePublicKey(raw)
		if err != nil {
			t.Fatalf("accepted, but go-webauthn refuses: %v", err)
		}
		var alg int64
		switch k := other.(type) {
		case webauthncose.EC2PublicKeyData:
			alg = k.Algorithm
		case webauthncose.OKPPublicKeyData:
			alg = k.Algorithm
		case webauthncose.RSAPublicKeyData:
			alg = k.Algorithm
		}
		if alg != key.algorithm() {
			t.Errorf("algorithm %d, go-webauthn reads %d", key.algorithm(), alg)
		}
		if key.verify([]byte("message"), make([]byte, 64)) {
			t.Error("an empty signature verifies")
		}
	})
}

func FuzzAttestation(f *testing.F) {
	file := readLevel3(f)
	for _, v := range file.Vectors {
		f.Add([]byte(v.Registration.CredentialID), []byte(v.Registration.ClientDataJSON),
			[]byte(v.Registration.AttestationObject))
	}
	// The client data carries its own challenge, so that accepted seeds stay accepted.
	rp := RelyingParty{file.RPID, []string{file.Origin}}
	f.Fuzz(func(t *testing.T, id, text, object []byte) {
		challenge := challengeOf(text)
		att := wire.Attestation{CredentialID: b64(id), ClientDataJSON: b64(text), AttestationObject: b64(object)}
		r, err := VerifyRegistration(rp, challenge, att)
		if err != nil {
			wantInvalid(t, err)
			return
		}
		if !bytes.Equal(r.CredentialID, id) {
			t.Error("registered another credential")
		}
		if _, err := parseKey(r.PublicKey); err != nil {
			t.Errorf("registered a key that will never verify: %v", err)
		}
		if err := oracleRegistration(rp, challenge, att); err != nil {
			t.Errorf("accepted, but go-webauthn refuses: %v", err)
		}
	})
}

func challengeOf(text []byte) []byte {
	c, err := parseClientData(text)
	if err != nil {
		return nil
	}
	raw, err := decodeBase64(c.Challenge)
	if err != nil {
		return nil
	}
	return raw
}

func FuzzStamp(f *testing.F) {
	good := goodAssertion(newES256()).stamp().HeaderValue
	f.Add(good)
	f.Add(asCredential(good, func(_, _ map[string]any) {}))
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAssertion(wire.Stamp{HeaderName: HeaderName, HeaderValue: text})
		if err != nil {
			wantInvalid(t, err)
			return
		}
		if len(a.credentialID) == 0 || len(a.signature) == 0 || len(a.clientData) == 0 ||
			len(a.authenticatorData) == 0 {
			t.Error("accepted with a part missing")
		}
	})
}

func wantInvalid(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("error does not wrap ErrInvalid: %v", err)
	}
}
