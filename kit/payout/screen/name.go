package screen

import (
	"slices"
	"strings"
	"unicode"

	"github.com/railkit/railkit/text"
)

// leastEdited is how many letters a name must have for a typing error to count: of shorter names too many others are
// one letter away, as Ana, Eva and Ada are.
const leastEdited = 6

// spellings are what a name looks like: as it stands and, where that is something else, in small letters.
type spellings []spelling

// spelling is a name without spaces, punctuation, accents and look-alike letters: of "Ruiz, Ana" it is whole "ruizana",
// with the words "ruiz" and "ana".
type spelling struct {
	whole []rune
	words []string
}

// spellingsOf is nothing of a text without letters and digits.
func spellingsOf(name string) (all spellings) {
	for i, whole := range text.SkeletonKeys(name) {
		s := spelling{whole: []rune(letters(whole))}
		for _, word := range strings.FieldsFunc(name, separates) {
			keys := text.SkeletonKeys(word)
			if word = letters(keys[min(i, len(keys)-1)]); word != "" {
				s.words = append(s.words, word)
			}
		}
		if len(s.whole) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// separates tells whether a character stands between words. An apostrophe stands within one: O'Brien.
func separates(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) && !strings.ContainsRune("'\u2019", r)
}

// letters leaves out signs and small marks. Marks with a width of their own stay, since they are vowels.
func letters(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.Nd, unicode.Mc) {
			return r
		}
		return -1
	}, key)
}

// mayBe tells whether two names have a spelling in common, with one edit or in another order of the words.
func (a spellings) mayBe(b spellings) bool {
	return slices.ContainsFunc(a, func(one spelling) bool {
		return slices.ContainsFunc(b, func(other spelling) bool {
			shorter, longer := min(len(one.whole), len(other.whole)), max(len(one.whole), len(other.whole))
			if longer-shorter > 1 { // of a long list nearly all names end here
				return false
			}
			near := shorter >= leastEdited
			return slices.Equal(one.whole, other.whole) || near && oneEdit(one.whole, other.whole) ||
				sameWords(one.words, other.words, near)
		})
	})
}

// oneEdit tells whether a text becomes the other by one letter more, less or changed, or by two neighbours that change
// places.
func oneEdit(a, b []rune) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 {
		return false
	}
	same := 0
	for same < len(b) && a[same] == b[same] {
		same++
	}
	a, b = a[same:], b[same:]
	switch {
	case len(a) > len(b):
		return slices.Equal(a[1:], b)
	case len(a) == 0:
		return true
	}
	return slices.Equal(a[1:], b[1:]) ||
		len(a) > 1 && a[0] == b[1] && a[1] == b[0] && slices.Equal(a[2:], b[2:])
}

// sameWords tells whether two names have the same words in any order. Near ones may have one word with one edit.
func sameWords(a, b []string, near bool) bool {
	if len(a) != len(b) {
		return false
	}
	rest := slices.Clone(b)
	var missing []string
	for _, word := range a {
		if i := slices.Index(rest, word); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		} else if missing = append(missing, word); len(missing) > 1 {
			return false
		}
	}
	return len(missing) == 0 || near && oneEdit([]rune(missing[0]), []rune(rest[0]))
}
