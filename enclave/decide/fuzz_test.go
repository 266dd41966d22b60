package decide

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/railkit/railkit/enclave/wire"
)

const fuzzedBody = `{"type":"ACTIVITY_TYPE_SIGN_INTENT","environment":"sandbox","organizationId":"o","activityId":"01a1fcb6-9325-7031-b611-3af04fd31a29",` +
	`"timestampMs":"1","expiresAtMs":"2","parameters":{"signWith":"0x","chain":"base","chainId":"84532","to":"0x","value":"0","data":"0x","gasLimit":"1","maxTotalFee":"1"}}`

// What the signer accepts, the host's parser reads alike (S03): nobody can show
// one body and have another decided.
func FuzzParse(f *testing.F) {
	f.Add(fuzzedBody)
	f.Add(fuzzedBody[:len(fuzzedBody)-2] + `,"to":"0x2"}}`)
	f.Add(fuzzedBody + " {}")
	f.Add("\ufeff" + fuzzedBody)
	f.Add(`{"Type":"ACTIVITY_TYPE_SIGN_INTENT"}`)
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := Parse(raw)
		if err != nil {
			if !errors.Is(err, ErrBody) {
				t.Errorf("refused with %v", err)
			}
			return
		}
		var host wire.Body
		d := json.NewDecoder(bytes.NewReader([]byte(raw)))
		d.DisallowUnknownFields()
		if err := d.Decode(&host); err != nil || d.More() || !utf8.ValidString(raw) {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if host.Type != r.Body.Type || host.ActivityID != r.Body.ActivityID || host.ExpiresAtMs != r.Body.ExpiresAtMs ||
			host.OrganizationID != r.Body.OrganizationID || !bytes.Equal(host.Parameters, r.Body.Parameters) {
			t.Errorf("read as %+v here and %+v there", r.Body, host)
		}
		if r.Fingerprint != wire.Fingerprint(raw) {
			t.Error("its fingerprint is another's")
		}
	})
}

// A saved state comes from a sealed file, but a fault of ours may write a wrong one.
func FuzzRestore(f *testing.F) {
	empty, err := NewState(Constants{}).Save("this program")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(empty)
	f.Add(empty[:len(empty)/2])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if s, err := Restore(Constants{}, "this program", raw); err == nil && s == nil {
			t.Error("neither a state nor an error")
		}
	})
}
