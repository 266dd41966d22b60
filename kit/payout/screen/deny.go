package screen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/railkit/railkit/chain/families"
)

// DenyList is a list of names and addresses in memory. It finds a name however its capitals, accents, spaces,
// punctuation and look-alike letters are written, in any order of its words, and with one letter more, less or
// another one (name.go). It does not find a part of a longer name.
type DenyList struct {
	ids       map[string]bool
	names     []namedEntry
	addresses map[string][]string // by how an address is compared: ids
}

// namedEntry is a name of the list.
type namedEntry struct {
	id   string
	name spellings
}

// Load reads a deny list. Each line is an id, the word name or address, and the name or address. Empty lines and lines
// that begin with # do not count. An error names the line, and does not repeat it.
func Load(from io.Reader) (*DenyList, error) {
	d := &DenyList{ids: map[string]bool{}, addresses: map[string][]string{}}
	lines := bufio.NewScanner(from)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := d.add(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return d, nil
}

// Len counts the list's names and its addresses.
func (d *DenyList) Len() (names, addresses int) { return len(d.names), len(d.ids) - len(d.names) }

func (d *DenyList) add(line string) error {
	id, rest := cut(line)
	kind, value := cut(rest)
	switch {
	case !ValidEntry(id):
		return errors.New("the id must be 1 to 64 letters, digits, dots, hyphens and underscores")
	case d.ids[id]:
		return errors.New("an earlier line has this id")
	case value == "":
		return errors.New("it must be of the form: ID name NAME, or ID address ADDRESS")
	}
	switch Kind(kind) {
	case Name:
		name := spellingsOf(value)
		if len(name) == 0 {
			return errors.New("the name has no letter and no digit")
		}
		d.names = append(d.names, namedEntry{id, name})
	case Address:
		if _, _, ok := families.ParseAddress(value); !ok {
			return errors.New("it is no address: " + families.TypedForms())
		}
		for _, key := range addressKeys(value) {
			d.addresses[key] = append(d.addresses[key], id)
		}
	default:
		return errors.New("the second word must be name or address")
	}
	d.ids[id] = true
	return nil
}

// cut is the first word of a line, and the rest.
func cut(line string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return word, strings.TrimSpace(rest)
}

// Screen looks the subjects up.
func (d *DenyList) Screen(_ context.Context, subjects []Subject) (hits []Hit, _ error) {
	for _, s := range subjects {
		entries := d.named(s.Value)
		if s.Kind == Address {
			entries = d.addressed(s.Value)
		}
		for _, id := range entries {
			hits = append(hits, Hit{Subject: s, Entry: id})
		}
	}
	return hits, nil
}

// named are the entries whose name may be this one.
func (d *DenyList) named(name string) (ids []string) {
	asked := spellingsOf(name)
	for _, e := range d.names {
		if e.name.mayBe(asked) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// addressed are the entries of an address, each once.
func (d *DenyList) addressed(address string) (ids []string) {
	for _, key := range addressKeys(address) {
		for _, id := range d.addresses[key] {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
