package stamp

import (
	"bytes"
	"strings"
	"testing"
)

// The vector is the one that the field's stamper gives for this body: see
// github.com/tkhq/sdk, packages/webauthn-stamper (hex text of SHA-256).
func TestChallengeText(t *testing.T) {
	const want = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
	if got := ChallengeText([]byte(`{"a":1}`)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestVerify_EveryAlgorithm(t *testing.T) {
	for name, key := range map[string]testKey{"ES256": newES256(), "EdDSA": newEdDSA(), "RS256": newRS256()} {
		t.Run(name, func(t *testing.T) {
			c := goodAssertion(key)
			seen, err := c.run()
			if err != nil {
				t.Fatal(err)
			}
			if (seen != Seen{SignCount: 5, BackupEligible: true}) {
				t.Errorf("seen %+v", seen)
			}
			if err := oracleAssertion(c); err != nil {
				t.Errorf("go-webauthn refuses: %v", err)
			}
			c.signature = flipLastBit
			_, err = c.run()
			wantReason(t, err, "signature does not verify")
		})
	}
}

func flipLastBit(s []byte) []byte {
	s = bytes.Clone(s)
	s[len(s)-1] ^= 1
	return s
}

func TestSigning_S01_StampIsForOneBody(t *testing.T) {
	body := func(b string) func(*assertionCase) { return func(c *assertionCase) { c.body = []byte(b) } }
	const other = "challenge does not match"
	runAssertions(t, []assertionRow{
		{"untampered", untouched, ""},
		{"one byte", body(strings.Replace(testBody, `"1"`, `"2"`, 1)), other},
		{"leading space", body(" " + testBody), other},
		{"inner space", body(strings.Replace(testBody, ":", ": ", 1)), other},
		{"trailing newline", body(testBody + "\n"), other},
		{"byte order mark", body("\ufeff" + testBody), other},
		{"key order", body(`{"parameters":{"to":"0x01","value":"1"},"type":"ACTIVITY_TYPE_SIGN_INTENT"}`), other},
		{"key case", body(strings.Replace(testBody, `"type"`, `"Type"`, 1)), other},
		{"truncated", body(testBody[:len(testBody)-1]), other},
		{"empty", body(""), other},
	})
}

func TestSigning_S04_ChallengeHasOneSpelling(t *testing.T) {
	text := ChallengeText([]byte(testBody))
	challenge := func(s string) func(*assertionCase) { return func(c *assertionCase) { c.challenge = s } }
	const other = "challenge does not match"
	runAssertions(t, []assertionRow{
		{"lower-case hex", challenge(b64([]byte(text))), ""},
		{"raw 32 bytes", challenge(b64(hexBytes(text))), other},
		{"upper-case hex", challenge(b64([]byte(strings.ToUpper(text)))), other},
		{"padded base64", challenge(b64([]byte(text)) + "=="), other},
		{"hex without base64", challenge(text), other},
		{"truncated text", challenge(b64([]byte(text[:62]))), other},
		{"truncated base64", challenge(b64([]byte(text))[:85]), other},
		{"0x prefix", challenge(b64([]byte("0x" + text))), other},
		{"spare bits set", challenge(b64([]byte(text))[:85] + "Z"), other},
		{"escaped newline", challenge(b64([]byte(text)) + `\n`), other},
		{"empty", challenge(""), other},
		{"missing", func(c *assertionCase) {
			c.clientData = func(s string) string { return strings.Replace(s, "challenge", "challengf", 1) }
		}, other},
		{"of another body", challenge(b64([]byte(ChallengeText([]byte("{}"))))), other},
	})
}

func TestSigning_S05_CeremonyIsGet(t *testing.T) {
	ceremony := func(s string) func(*assertionCase) { return func(c *assertionCase) { c.ceremony = s } }
	const other = "another ceremony"
	runAssertions(t, []assertionRow{
		{"webauthn.get", ceremony("webauthn.get"), ""},
		{"webauthn.create", ceremony("webauthn.create"), other},
		{"payment.get", ceremony("payment.get"), other},
		{"upper case", ceremony("webauthn.GET"), other},
		{"trailing space", ceremony("webauthn.get "), other},
		{"empty", ceremony(""), other},
	})
}

func TestSigning_S06_OriginIsExact(t *testing.T) {
	origin := func(s string) func(*assertionCase) { return func(c *assertionCase) { c.origin = s } }
	members := func(s string) func(*assertionCase) { return func(c *assertionCase) { c.members = s } }
	const other, framed, top = "origin is not accepted", "another origin's page", "top origin"
	runAssertions(t, []assertionRow{
		{"second of the list", untouched, ""},
		{"first of the list", origin("https://sealed.example"), ""},
		{"other scheme", origin("https://localhost:8081"), other},
		{"other port", origin("http://localhost:8082"), other},
		{"no port", origin("http://localhost"), other},
		{"http where https is sealed", origin("http://sealed.example"), other},
		{"default port spelled out", origin("https://sealed.example:443"), other},
		{"suffix", origin("https://evil-sealed.example"), other},
		{"sealed name as sub-domain", origin("https://sealed.example.evil.example"), other},
		{"sub-domain", origin("https://www.sealed.example"), other},
		{"trailing dot", origin("https://sealed.example."), other},
		{"trailing slash", origin("https://sealed.example/"), other},
		{"upper case", origin("https://SEALED.example"), other},
		{"user info", origin("https://sealed.example@evil.example"), other},
		{"punycode", origin("https://xn--seled-3ve.example"), other},
		{"homoglyph", origin("https://s\u0435aled.example"), other},
		{"zero-width space", origin("https://sealed.example\u200b"), other},
		{"escaped NUL", origin(`https://sealed.example\u0000`), other},
		{"null", origin("null"), other},
		{"IP address", origin("http://127.0.0.1:8081"), other},
		{"app", origin("android:apk-key-hash:AAAA"), other},
		{"two in one", origin("https://sealed.example http://localhost:8081"), other},
		{"empty", origin(""), other},
		{"empty, and sealed by mistake", func(c *assertionCase) { c.origin = ""; c.rp.Origins = []string{""} }, other},
		{"nothing sealed", func(c *assertionCase) { c.rp.Origins = nil }, other},

		{"crossOrigin absent", members(""), ""},
		{"crossOrigin false", members(`,"crossOrigin":false`), ""},
		{"crossOrigin true", members(`,"crossOrigin":true`), framed},
		{"crossOrigin null", members(`,"crossOrigin":null`), framed},
		{"crossOrigin as text", members(`,"crossOrigin":"false"`), framed},
		{"crossOrigin 0", members(`,"crossOrigin":0`), framed},
		{"topOrigin foreign", members(`,"topOrigin":"https://evil.example"`), top},
		{"topOrigin own", members(`,"crossOrigin":false,"topOrigin":"http://localhost:8081"`), top},
		{"topOrigin null", members(`,"topOrigin":null`), top},
		{"unknown member", members(`,"extra_keys_may_be_added_here":"do not compare"`), ""},
	})
}

func TestSigning_S07_RelyingPartyIsOurs(t *testing.T) {
	const other = "another relying party"
	runAssertions(t, []assertionRow{
		{"own", untouched, ""},
		{"other", func(c *assertionCase) { c.rpID = "evil.example" }, other},
		{"parent domain", func(c *assertionCase) { c.rpID = "example" }, other},
		{"upper case", func(c *assertionCase) { c.rpID = "LOCALHOST" }, other},
		{"origin instead of id", func(c *assertionCase) { c.rpID = testOrigin }, other},
		{"verifier has none", func(c *assertionCase) { c.rp.ID, c.rpID = "", "" }, other},
	})
}

func TestSigning_S08_UserIsPresentAndVerified(t *testing.T) {
	without := func(f flags) func(*assertionCase) { return func(c *assertionCase) { c.flags &^= f } }
	runAssertions(t, []assertionRow{
		{"both", untouched, ""},
		{"not present", without(flagUserPresent), "user was not present"},
		{"not verified", without(flagUserVerified), "user was not verified"},
		{"neither", without(flagUserPresent | flagUserVerified), "user was not present"},
		{"flag set after signing", func(c *assertionCase) {
			c.flags &^= flagUserVerified
			c.header = func(s string) string {
				plain := b64(authDataBytes(testRPID, c.flags, 5, nil))
				return strings.Replace(s, plain, b64(authDataBytes(testRPID, usualFlags, 5, nil)), 1)
			}
		}, "signature does not verify"},
	})
}

func TestSigning_S09_CounterRisesAndBackupKindMayChange(t *testing.T) {
	counts := func(stored, sent uint32) func(*assertionCase) {
		return func(c *assertionCase) { c.cred.SignCount, c.count = stored, sent }
	}
	backup := func(eligible bool, f flags) func(*assertionCase) {
		return func(c *assertionCase) {
			c.cred.BackupEligible = eligible
			c.flags = flagUserPresent | flagUserVerified | f
		}
	}
	const stuck = "signature counter did not rise"
	runAssertions(t, []assertionRow{
		{"rises by one", counts(4, 5), ""},
		{"rises by many", counts(4, 4_000_000_000), ""},
		{"rises to the last number", counts(1<<32-2, 1<<32-1), ""},
		{"starts to count", counts(0, 1), ""},
		{"never counts", counts(0, 0), ""},
		{"equal", counts(5, 5), stuck},
		{"falls", counts(5, 4), stuck},
		{"falls to zero", counts(5, 0), stuck},
		{"wraps around", counts(1<<32-1, 0), stuck},

		{"eligible and backed up", backup(true, flagBackupEligible|flagBackedUp), ""},
		{"eligible, not backed up", backup(true, flagBackupEligible), ""},
		{"not eligible", backup(false, 0), ""},
		{"became eligible", backup(false, flagBackupEligible), ""},
		{"is eligible no more", backup(true, 0), ""},
		{"became eligible, and backed up", backup(false, flagBackupEligible|flagBackedUp), ""},
		{"backed up without eligibility", backup(false, flagBackedUp), "not eligible for backup"},
	})
}

func TestVerify_StampIsOfThisCredential(t *testing.T) {
	runAssertions(t, []assertionRow{
		{"own", untouched, ""},
		{"other id", func(c *assertionCase) { c.cred.ID = []byte("credential-2") }, "another credential"},
		{"no id", func(c *assertionCase) { c.cred.ID = nil }, "another credential"},
		{"other key", func(c *assertionCase) { c.cred.PublicKey = newES256().cose }, "signature does not verify"},
		{"no key", func(c *assertionCase) { c.cred.PublicKey = nil }, "not a COSE key"},
	})
}
