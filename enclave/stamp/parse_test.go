package stamp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSigning_S13_HeaderHasOneReading(t *testing.T) {
	header := func(f func(string) string) func(*assertionCase) { return func(c *assertionCase) { c.header = f } }
	name := func(s string) func(*assertionCase) { return func(c *assertionCase) { c.headerName = s } }
	replace := func(from, to string) func(*assertionCase) {
		return header(func(s string) string { return strings.Replace(s, from, to, 1) })
	}
	const form, mistyped, binary = "not a JSON object", "unknown or mistyped", "not unpadded base64url"
	runAssertions(t, []assertionRow{
		{"untampered", untouched, ""},
		{"lower-case name", name("x-stamp-webauthn"), ""},
		{"upper-case name", name("X-STAMP-WEBAUTHN"), ""},
		{"key order and spaces",
			header(func(s string) string { return " " + strings.ReplaceAll(s, ",", " ,\n ") + " " }), ""},
		{"padded to 64 kB", header(func(s string) string { return s + strings.Repeat(" ", maxText-len(s)) }), ""},

		{"API-key stamp", name("X-Stamp"), "not a passkey stamp"},
		{"look-alike name", name("X-\u017ftamp-WebAuthn"), "not a passkey stamp"},
		{"no name", name(""), "not a passkey stamp"},
		{"oversize", header(func(s string) string { return s + strings.Repeat(" ", maxText-len(s)+1) }), "too large"},
		{"repeated header, joined", header(func(s string) string { return s + "," + s }), form},
		{"trailing bytes", header(func(s string) string { return s + "x" }), form},
		{"byte order mark", header(func(s string) string { return "\ufeff" + s }), form},
		{"base64 instead of JSON", header(func(s string) string { return b64([]byte(s)) }), form},
		{"array", header(func(s string) string { return "[" + s + "]" }), form},
		{"null", header(func(string) string { return "null" }), "missing"},
		{"empty", header(func(string) string { return "" }), form},
		{"duplicate member", replace(`{`, `{"signature":"AA",`), form},
		{"duplicate member, escaped", replace(`{`, `{"signatur\u0065":"AA",`), form},
		{"members that mean nothing", replace(`{`, `{"path":"/public/v1/submit/sign","type":"webauthn",`), ""},
		{"an unknown member twice", replace(`{`, `{"path":"/a","path":"/b",`), form},
		{"a member of an API key's stamp", replace(`{`, `{"scheme":"x",`), mistyped},
		{"a member in two cases", replace(`{`, `{"Signature":"AA",`), mistyped},
		{"a member of a credential", replace(`{`, `{"rawId":"AA",`), mistyped},
		{"member of another case", replace(`clientDataJson`, `clientDataJSON`), mistyped},
		{"member missing", replace(`"signature"`, `"x"`), "missing"},
		{"member is null", header(func(s string) string { return setMember(s, "signature", nil) }), "missing"},
		{"member is a number", header(func(s string) string { return setMember(s, "signature", 1) }), mistyped},
		{"member is empty", header(func(s string) string { return setMember(s, "authenticatorData", "") }), "missing"},
		{"padding",
			header(func(s string) string { return setMember(s, "credentialId", "Y3JlZGVudGlhbC0x==") }), binary},
		{"standard alphabet", header(func(s string) string { return setMember(s, "signature", "++//") }), binary},
		{"line break",
			header(func(s string) string { return setMember(s, "credentialId", "Y3JlZGVu\ndGlhbC0x") }), binary},
		{"spare bits",
			header(func(s string) string { return setMember(s, "credentialId", "Y3JlZGVudGlhbC0xMZ") }), binary},
		{"invalid UTF-8", replace(`{`, "{\"\xff\":\"\","), form},
		{"lone surrogate", replace(`{`, `{"\ud800":"",`), form},
		{"long id", header(func(s string) string {
			return setMember(s, "credentialId", strings.Repeat("A", 1366))
		}), "too long"},
		{"deep nesting", header(func(string) string { return strings.Repeat(`{"a":`, 10_000) }), form},
	})
}

func setMember(text, name string, value any) string {
	var members map[string]any
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		panic(err)
	}
	members[name] = value
	raw, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestParseAssertion_CredentialToJSON(t *testing.T) {
	const mistyped = "unknown or mistyped"
	for _, row := range []struct {
		name   string
		edit   func(credential, response map[string]any)
		reason string
	}{
		{"as a browser gives it", func(c, r map[string]any) { r["userHandle"] = "AAAA" }, ""},
		{"user handle null", func(c, r map[string]any) { r["userHandle"] = nil }, ""},
		{"least members", func(c, r map[string]any) {
			delete(c, "authenticatorAttachment")
			delete(c, "clientExtensionResults")
		}, ""},
		{"other type", func(c, r map[string]any) { c["type"] = "password" }, "not a public key"},
		{"no type", func(c, r map[string]any) { delete(c, "type") }, "not a public key"},
		{"two ids", func(c, r map[string]any) { c["rawId"] = "AAAA" }, "two ids"},
		{"no id", func(c, r map[string]any) { delete(c, "id"); delete(c, "rawId") }, "missing"},
		{"members that mean nothing", func(c, r map[string]any) { c["path"], r["attestationObject"] = "/", 1 }, ""},
		{"a member of the response outside",
			func(c, r map[string]any) { c["clientDataJSON"] = r["clientDataJSON"] }, mistyped},
		{"two ids in the response", func(c, r map[string]any) { r["credentialId"] = "AAAA" }, mistyped},
		{"both forms in one", func(c, r map[string]any) { c["signature"] = "AAAA" }, mistyped},
		{"other case", func(c, r map[string]any) {
			r["clientDataJson"] = r["clientDataJSON"]
			delete(r, "clientDataJSON")
		}, mistyped},
		{"signature missing", func(c, r map[string]any) { delete(r, "signature") }, "missing"},
		{"response is null", func(c, r map[string]any) { c["response"] = nil }, "missing"},
		{"response is text", func(c, r map[string]any) { c["response"] = "x" }, mistyped},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := goodAssertion(newES256())
			c.header = func(s string) string { return asCredential(s, row.edit) }
			_, err := c.run()
			wantReason(t, err, row.reason)
		})
	}
}

// asCredential turns a stamp into PublicKeyCredential.toJSON().
func asCredential(text string, edit func(credential, response map[string]any)) string {
	var form map[string]string
	if err := json.Unmarshal([]byte(text), &form); err != nil {
		panic(err)
	}
	response := map[string]any{
		"authenticatorData": form["authenticatorData"],
		"clientDataJSON":    form["clientDataJson"],
		"signature":         form["signature"],
	}
	credential := map[string]any{}
	if err := json.Unmarshal(publicKeyCredential(form["credentialId"], response), &credential); err != nil {
		panic(err)
	}
	edit(credential, response)
	if _, kept := credential["response"].(map[string]any); kept {
		credential["response"] = response
	}
	raw, err := json.Marshal(credential)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestSigning_S13_ClientDataHasOneReading(t *testing.T) {
	edit := func(f func(string) string) func(*assertionCase) { return func(c *assertionCase) { c.clientData = f } }
	add := func(member string) func(*assertionCase) {
		return edit(func(s string) string { return strings.Replace(s, "{", "{"+member+",", 1) })
	}
	const unique = "not a JSON object with unique members"
	runAssertions(t, []assertionRow{
		{"untampered", untouched, ""},
		{"unknown member", add(`"later":{"a":[1]}`), ""},
		{"spaces", edit(func(s string) string { return strings.ReplaceAll(s, ",", " , ") }), ""},
		{"type twice", add(`"type":"webauthn.create"`), unique},
		{"type twice, alike", add(`"type":"webauthn.get"`), unique},
		{"challenge twice, escaped", add(`"challeng\u0065":"AA"`), unique},
		{"origin twice", add(`"origin":"https://evil.example"`), unique},
		{"unknown member twice", add(`"x":1,"x":1`), unique},
		{"duplicate deep inside", add(`"x":{"y":{"z":1,"z":1}}`), unique},
		{"type of another case only",
			edit(func(s string) string { return strings.Replace(s, `"type"`, `"Type"`, 1) }), "another ceremony"},
		{"type is a number",
			edit(func(s string) string { return strings.Replace(s, `"webauthn.get"`, `1`, 1) }), unique},
		{"byte order mark", edit(func(s string) string { return "\ufeff" + s }), unique},
		{"trailing bytes", edit(func(s string) string { return s + "{}" }), unique},
		{"trailing NUL", edit(func(s string) string { return s + "\x00" }), unique},
		{"invalid UTF-8", add("\"x\":\"\xff\""), unique},
		{"lone surrogate", add(`"x":"\ud800"`), unique},
		{"null", edit(func(string) string { return "null" }), "another ceremony"},
		{"array", edit(func(s string) string { return "[" + s + "]" }), unique},
		{"not JSON", edit(func(string) string { return "x" }), unique},
	})
}
