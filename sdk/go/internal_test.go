package railkit

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/sdk/go/passkey"
)

func TestToUnits(t *testing.T) {
	for _, c := range []struct {
		amount   string
		decimals int
		want     string
	}{
		{"25.50", 6, "25500000"}, {"25.5", 6, "25500000"}, {"0", 6, "0"}, {"0.000001", 6, "1"}, {"007", 0, "7"},
		{"1.0000000", 6, "1000000"}, {"0.000000000000000001", 18, "1"},
		{"9007199254740993", 0, "9007199254740993"},
	} {
		if got, err := toUnits(c.amount, c.decimals); err != nil || got != c.want {
			t.Errorf("%s with %d decimals = %s, %v; want %s", c.amount, c.decimals, got, err, c.want)
		}
	}
	for _, bad := range []string{
		"", "-1", "+1", "1e3", "0x1", "1,5", ".5", "1.", "1.0000001", " 1", "NaN", strings.Repeat("9", 90),
	} {
		if got, err := toUnits(bad, 6); err == nil {
			t.Errorf("%q was read as %s", bad, got)
		}
	}
	if _, err := toUnits("1", -1); err == nil {
		t.Error("negative decimals")
	}
}

func TestRingForgetsTheOldest(t *testing.T) {
	r := newRing[int, string](2)
	for _, k := range []int{1, 2, 1, 3} {
		r.put(k, "x")
	}
	_, one := r.get(1)
	_, two := r.get(2)
	_, three := r.get(3)
	if one || !two || !three || len(r.values) != 2 {
		t.Errorf("holds 1 %v, 2 %v, 3 %v", one, two, three)
	}
}

func TestMemoryIsBoundedAndKeepsTheHighest(t *testing.T) {
	m := NewMemory()
	for seq := uint64(2 * maxHeads); seq > 0; seq-- {
		if err := m.see(seq, "h"); err != nil {
			t.Fatal(err)
		}
		m.checked(m.unchecked(), place{seq, "h"})
	}
	if len(m.heads.values) != maxHeads || m.Highest() != 2*maxHeads {
		t.Errorf("%d heads, highest %d", len(m.heads.values), m.Highest())
	}
	if err := m.see(1, "other"); !IsTampered(err) {
		t.Errorf("a second head: %v", err)
	}
}

func TestEachWalksAllPages(t *testing.T) {
	pages := map[ListOptions]*Page[int]{
		{Limit: 2}:              {Items: []int{1, 2}, Meta: Meta{Page: 1, TotalPages: 3}},
		{Limit: 2, Page: 2}:     {Items: []int{3, 4}, Meta: Meta{Page: 2, TotalPages: 3, NextCursor: "c"}},
		{Limit: 2, Cursor: "c"}: {Items: []int{5}, Meta: Meta{Page: 1, TotalPages: 3}},
	}
	var got []int
	for item, err := range each(ListOptions{Limit: 2}, func(o ListOptions) (*Page[int], error) {
		return pages[o], nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, item)
	}
	if !slices.Equal(got, []int{1, 2, 3, 4, 5}) {
		t.Errorf("got %v", got)
	}
	broken := errors.New("broken")
	for _, err := range each(ListOptions{}, func(ListOptions) (*Page[int], error) { return nil, broken }) {
		if !errors.Is(err, broken) {
			t.Errorf("err = %v", err)
		}
	}
}

// The credential read from an attestation is the one that the authenticator made.
func TestCredentialOf(t *testing.T) {
	a := passkey.New("http://localhost")
	att, err := FromAuthenticator(a).Create(
		[]byte(`{"challenge":"YQ","rp":{"id":"localhost"},"pubKeyCredParams":[{"type":"public-key","alg":-7}]}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	got, err := credentialOf(att)
	want := a.Credentials()[0]
	if err != nil || got.ID != want.ID || got.PublicKey != want.PublicKey {
		t.Fatalf("%+v, %v; want %+v", got, err, want)
	}
	swapped := att
	swapped.CredentialID = "YW5vdGhlcg"
	if _, err := credentialOf(swapped); err == nil {
		t.Error("an attestation of another credential")
	}
	raw, _ := base64.RawURLEncoding.DecodeString(att.AttestationObject)
	for n := range raw {
		cut := att
		cut.AttestationObject = encode(raw[:n])
		if _, err := credentialOf(cut); err == nil {
			t.Errorf("cut to %d bytes, accepted", n)
		}
	}
}

func FuzzCredentialOf(f *testing.F) {
	f.Add([]byte("\xa1\x68authData\x40"))
	f.Add([]byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58\x37"))
	f.Add([]byte("\xbb\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("\xc1\x9b\x00\x00\x00\x00\x00\x00\x00\x02\xd8\x20\x40"))
	f.Fuzz(func(t *testing.T, object []byte) {
		c, err := credentialOf(Attestation{AttestationObject: encode(object)})
		if err == nil && c.ID != "" {
			t.Errorf("read %+v, which is not the credential that was named", c)
		}
	})
}

// However many statements a host shows, an entry that was seen is asked about.
func TestMemoryForgetsNothingUnchecked(t *testing.T) {
	m := NewMemory()
	for seq := uint64(1); seq <= maxLoose; seq++ {
		if err := m.see(seq, "h"); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.see(maxLoose+1, "h"); err == nil {
		t.Error("one more was taken, and nothing could be forgotten")
	}
	asked := map[uint64]bool{}
	for seen := m.unchecked(); len(seen) > 1; seen = m.unchecked() {
		if len(seen) > maxAsked+1 {
			t.Fatalf("%d in one call", len(seen))
		}
		for _, p := range seen {
			asked[p.seq] = true
		}
		m.checked(seen, place{maxLoose + 9, "now"})
	}
	if len(asked) != maxLoose+1 || !asked[1] || !asked[maxLoose] { // and the end of the journal
		t.Errorf("%d entries were asked about", len(asked))
	}
	if err := m.see(maxLoose+1, "h"); err != nil {
		t.Errorf("after the check: %v", err)
	}
}
