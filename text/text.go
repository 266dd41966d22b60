// Package text defines the characters that a displayed text may have: a name, a label, a reason. The same policy holds
// for all of them, in the signer and in the server. It keeps a name from hiding a part of itself, reversing the line
// around it, or starting a new line. Confusable tells which names, though they have such characters only, look alike.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unseen is what a field is told that breaks the policy.
const Unseen = "must have only characters that can be seen, and no space but the plain one"

// Visible reports whether each character is a letter, mark, digit, sign or plain space.
// So there are no controls, newlines, turns of direction, characters of no width,
// unassigned or private ones.
//
// U+200C and U+200D join or part letters in some scripts and make families of emoji.
// They are refused as well: two names may differ by one and look alike. A name in
// Persian or Hindi is written without, a family as one person.
func Visible(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) || isBlank(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// isBlank: letters, marks and signs that show nothing, and the empty Braille pattern.
// U+FE0F, which makes a sign an emoji, is not among them.
func isBlank(r rune) bool {
	return r == 0x2800 || r != 0xfe0f && isIgnorable(r)
}

// InMail is a name as a mail shows it: visible characters, in which no mail program
// finds a link. "Acme https://evil.example/x" becomes "Acme https: / / evil. example/ x".
func InMail(name string) string {
	var b strings.Builder
	parted := false
	for _, r := range name {
		if !Visible(string(r)) {
			r = ' '
		}
		if parted && r != ' ' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		parted = strings.ContainsRune(`.:/\@。．｡：／＠`, r)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
