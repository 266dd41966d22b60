package screen_test

import (
	"os"
	"strings"
	"testing"

	"github.com/railkit/railkit/kit/payout/screen"
)

const list = `
# who must not be paid
sdn-1	name    Denied Person

sdn-2 name Łucja Ağaoğlu-Ñandú
sdn-3 address 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720
  sdn-4 name denied person
sdn-5 name Pat O'Brien
sdn-6 name Wu Li
`

func load(t *testing.T, text string) *screen.DenyList {
	t.Helper()
	d, err := screen.Load(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDenyList_Finds(t *testing.T) {
	d := load(t, list)
	if names, addresses := d.Len(); names != 5 || addresses != 1 {
		t.Errorf("%d names, %d addresses", names, addresses)
	}
	for _, c := range []struct {
		kind  screen.Kind
		value string
		want  string
	}{
		{screen.Name, "Denied Person", "sdn-1 sdn-4"},
		{screen.Name, "DENIED  PERSON", "sdn-1 sdn-4"},
		{screen.Name, "DeniedPerson", "sdn-1 sdn-4"},
		{screen.Name, " d e n i e d. person, ", "sdn-1 sdn-4"},
		{screen.Name, "Dénïed Përson", "sdn-1 sdn-4"},
		{screen.Name, "Dеniеd Реrsоn", "sdn-1 sdn-4"},             // Cyrillic letters
		{screen.Name, "Ｄenied Ｐerson", "sdn-1 sdn-4"},             // wide letters
		{screen.Name, "Denied\u200b Per\u00adson", "sdn-1 sdn-4"}, // signs without a width
		{screen.Name, "DENIED PERS0N", "sdn-1 sdn-4"},             // a digit
		{screen.Name, "lucja agaoglu nandu", "sdn-2"},
		{screen.Name, "łucja agaoglu nandu", "sdn-2"},
		{screen.Name, "Person Denied", "sdn-1 sdn-4"},
		{screen.Name, "PERSON, Dénied", "sdn-1 sdn-4"},
		{screen.Name, "Denied Persons", "sdn-1 sdn-4"}, // a letter more
		{screen.Name, "Denid Person", "sdn-1 sdn-4"},   // less
		{screen.Name, "Benied Person", "sdn-1 sdn-4"},  // another
		{screen.Name, "Deniedperosn", "sdn-1 sdn-4"},   // two in each other's place
		{screen.Name, "Persan Denied", "sdn-1 sdn-4"},  // in another order, too
		{screen.Name, "Erson Denied", "sdn-1 sdn-4"},
		{screen.Name, "Nandu Lucja Agaoglu", "sdn-2"},
		{screen.Name, "Pat OBrien", "sdn-5"},
		{screen.Name, "O’Brien Pat", "sdn-5"},
		{screen.Name, "Li Wu", "sdn-6"},
		{screen.Name, "Wu Lo", ""}, // a short name is another one by a letter
		{screen.Name, "Denid Persn", ""},
		{screen.Name, "Denied Person Junior", ""},
		{screen.Name, "Denied Denied", ""},
		{screen.Name, "Denied", ""},
		{screen.Name, "...", ""},
		{screen.Address, "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "sdn-3"},
		{screen.Address, "0xa0ee7a142d267c1f36714e4a8f75612f20a79720", "sdn-3"},
		{screen.Address, "0xA0EE7A142D267C1F36714E4A8F75612F20A79720", "sdn-3"},
		{screen.Address, "0xa0Ee7A142d267C1f36714E4a8F75612F20a79721", ""},
		{screen.Address, "Denied Person", ""},
		{screen.Name, "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", ""},
	} {
		hits, err := d.Screen(t.Context(), []screen.Subject{
			{Kind: c.kind, Value: "Nobody"}, {Kind: c.kind, Value: c.value},
		})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, h := range hits {
			found = append(found, h.Entry)
			if h.Subject.Value != c.value {
				t.Errorf("%q: a hit of %q", c.value, h.Subject.Value)
			}
		}
		if got := strings.Join(found, " "); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.kind, c.value, got, c.want)
		}
	}
}

// An error names the line and does not repeat it.
func TestDenyList_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"a name Ana\nb nombre Hunter2":              "line 2: the second word must be name or address",
		"\n\n# Hunter2\na name Ana\na name Hunter2": "line 5: an earlier line has this id",
		"Hunter2":             "line 1: it must be of the form",
		"a name":              "line 1: it must be of the form",
		"Hunter2: name Ana":   "line 1: the id must be",
		"a name ...":          "line 1: the name has no letter",
		"a address 0xHunter2": "line 1: it is no address: ",
		"a address 0xa0Ee7A142d267C1f36714E4a8F75612f20a79720": "line 1: it is no address: ", // not EIP-55
		"a name " + strings.Repeat("Hunter2", 20_000):          "line 1: bufio.Scanner: token too long",
	} {
		if _, err := screen.Load(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) ||
			strings.Contains(err.Error(), "Hunter2") {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// The sandbox's own list has what docs/screening.md says.
func TestDenyList_Sandbox(t *testing.T) {
	d, err := screen.Sandbox()
	if err != nil {
		t.Fatal(err)
	}
	hits, err := d.Screen(t.Context(), []screen.Subject{
		{Kind: screen.Name, Value: "denied person"}, {Kind: screen.Name, Value: "Denied Company"},
		{Kind: screen.Address, Value: "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", Chain: "base"},
	})
	if err != nil || len(hits) != 3 {
		t.Errorf("%v, %v", hits, err)
	}
}

// The example of docs/screening.md is a list.
func TestDenyList_Documented(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/screening.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```\n# id ")
	example, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("docs/screening.md has no example")
	}
	names, addresses := load(t, "# id "+example).Len()
	if names != 2 || addresses != 1 {
		t.Errorf("%d names, %d addresses", names, addresses)
	}
}
