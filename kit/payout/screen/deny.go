package screen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/railkit/railkit/chain/families"
	"github.com/railkit/railkit/text"
)

// DenyList is a list of names and addresses in memory. It finds a name however its capitals, accents, spaces,
// punctuation and look-alike letters are written, and no other spelling of it: not a name in another order, and not a
// part of a longer one.
type DenyList struct {
	entries   map[string][]string // by what is compared: ids
	ids       map[string]bool
	addresses int
}

// Load reads a deny list. Each line is an id, the word name or address, and the name or address. Empty lines and lines
// that begin with # do not count. An error names the line, and does not repeat it.
func Load(from io.Reader) (*DenyList, error) {
	d := &DenyList{entries: map[string][]string{}, ids: map[string]bool{}}
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
func (d *DenyList) Len() (names, addresses int) { return len(d.ids) - d.addresses, d.addresses }

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
	var keys []string
	switch Kind(kind) {
	case Name:
		if keys = nameKeys(value); len(keys) == 0 {
			return errors.New("the name has no letter and no digit")
		}
	case Address:
		if _, _, ok := families.ParseAddress(value); !ok {
			return errors.New("it is no address: " + families.TypedForms())
		}
		keys = addressKeys(value)
		d.addresses++
	default:
		return errors.New("the second word must be name or address")
	}
	d.ids[id] = true
	for _, key := range keys {
		d.entries[key] = append(d.entries[key], id)
	}
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
		keys := nameKeys(s.Value)
		if s.Kind == Address {
			keys = addressKeys(s.Value)
		}
		seen := map[string]bool{}
		for _, key := range keys {
			for _, id := range d.entries[key] {
				if !seen[id] {
					seen[id] = true
					hits = append(hits, Hit{Subject: s, Entry: id})
				}
			}
		}
	}
	return hits, nil
}

// nameKeys are what a name looks like, without spaces, punctuation and small marks. Look-alike letters are replaced
// first: a | that stands for an l is a letter by then. Marks with a width of their own stay, since they are vowels.
func nameKeys(name string) (keys []string) {
	for _, key := range text.SkeletonKeys(name) {
		key = strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.L, unicode.Nd, unicode.Mc) {
				return r
			}
			return -1
		}, key)
		if key != "" {
			keys = append(keys, "name:"+key)
		}
	}
	return keys
}
