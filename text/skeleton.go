package text

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Skeleton is what a text looks like: two texts with one skeleton are taken for each other when they are displayed in
// a line from left to right. It is skeleton(X) = bidiSkeleton(LTR, X) of UTS #39, section 4, with the data of Unicode
// 15.0.0 (README.md). It is for comparing, and never displayed. Do not store it: another version of the data
// has other skeletons.
func Skeleton(s string) string {
	return prototype(inDisplayOrder([]rune(norm.NFD.String(s))))
}

// SkeletonKeys are what a name looks like if nobody minds capitals, accents, the width of letters, spaces, punctuation
// and other signs. Two names are confusable if they have a key in common. There are two, or one: I looks like l, and i
// does not, so that a name is compared as it stands and in small letters. Like a skeleton, a key is not for storing.
func SkeletonKeys(name string) []string {
	shown := inDisplayOrder([]rune(norm.NFD.String(tradeSigns.Replace(name))))
	keys := []string{bare(settle(shown)), bare(settle(fold(shown)))}
	return slices.Compact(keys)
}

// Confusable reports whether a person may take one name for the other: "PAYPAL", "paypal", "PAYPA1" and the Cyrillic
// "Раураl", "María" and "Maria", or "Acme Inc", "AcmeInc" and "Acme-Inc.".
//
// Beyond that it knows only what Unicode lists: "Acme 5" and "Acme S" are two names, and names that differ by a typing
// error.
func Confusable(a, b string) bool {
	of := SkeletonKeys(b)
	return slices.ContainsFunc(SkeletonKeys(a), func(key string) bool { return slices.Contains(of, key) })
}

// tradeSigns leaves out the signs of trade and service marks, whose plain forms would be letters.
var tradeSigns = strings.NewReplacer("\u2122", "", "\u2120", "")

// prototype is internalSkeleton(X) of UTS #39, of a text in the form NFD.
func prototype(decomposed []rune) string {
	var b strings.Builder
	known := prototypes()
	for _, r := range decomposed {
		if isIgnorable(r) {
			continue
		}
		if p, ok := known[r]; ok {
			b.WriteString(p)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFD.String(b.String())
}

// isIgnorable reports the property Default_Ignorable_Code_Point, as the Unicode standard derives it.
func isIgnorable(r rune) bool {
	switch {
	case r < 0xad, !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector):
		return false
	case 0xfff9 <= r && r <= 0xfffb, 0x13430 <= r && r <= 0x13440:
		return false
	}
	return !unicode.In(r, unicode.White_Space, unicode.Prepended_Concatenation_Mark)
}

// settle takes prototypes, plain forms (1 for the wide digit U+FF11) and small letters of a text in turn until it stays
// the same. One space stands for several.
func settle(decomposed []rune) string {
	for now := ""; ; {
		plain := norm.NFKD.String(prototype(decomposed))
		plain = strings.Map(dropAccent, plain)
		decomposed = fold([]rune(strings.Join(strings.Fields(plain), " ")))
		if string(decomposed) == now {
			return now
		}
		now = string(decomposed)
	}
}

// bare is a settled text without spaces, punctuation and signs, but for those of currencies: "Savings $" and
// "Savings €" are two names. A text that has nothing else stays as it is.
func bare(settled string) string {
	left := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Sc) {
			return r
		}
		return -1
	}, settled)
	if left == "" {
		return settled
	}
	return left
}

// dropAccent drops what stands above and below letters of Europe. Other scripts have marks of their own, which stay:
// they are vowels.
func dropAccent(r rune) rune {
	if 0x300 <= r && r <= 0x36f {
		return -1
	}
	return r
}

// fold writes small letters. By way of capitals, of which a final sigma and others have the same.
func fold(s []rune) []rune {
	small := make([]rune, len(s))
	for i, r := range s {
		small[i] = unicode.ToLower(unicode.ToUpper(r))
	}
	return small
}

//go:embed confusables.tsv
var confusablesFile string

// prototypes are what stands in a skeleton for a character. Those of 13 characters in the file have a prototype
// themselves, such as the Arabic alef of U+FE81, which looks like l: here they are replaced too, so that the skeleton
// of a skeleton is itself.
var prototypes = sync.OnceValue(func() map[rune]string {
	table, known := readTable(confusablesFile), map[rune]string{}
	for r, sequence := range table {
		var b strings.Builder
		for _, part := range norm.NFD.String(string(sequence)) {
			if next, ok := table[part]; ok {
				b.WriteString(string(next))
			} else {
				b.WriteRune(part)
			}
		}
		known[r] = b.String()
	}
	return known
})

// readTable reads a file of Unicode: lines of a character and one or more others, in hexadecimal.
func readTable(file string) map[rune][]rune {
	table := map[rune][]rune{}
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var runes []rune
		for _, code := range strings.Fields(line) {
			r, err := strconv.ParseUint(code, 16, 21)
			if err != nil {
				panic(err) // the file is part of the program
			}
			runes = append(runes, rune(r))
		}
		table[runes[0]] = runes[1:]
	}
	return table
}
