// Package text defines the characters that a displayed text may have: a name, a label, a reason. The same policy holds
// for all of them. It keeps a name from looking like another one, reversing the line around it, or starting a new
// line.
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
		if !unicode.IsPrint(r) || unicode.Is(blank, r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// blank are letters, marks and signs that show nothing (of the property
// Default_Ignorable_Code_Point, and the empty Braille pattern). U+FE0F, which makes a
// sign an emoji, is not among them.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, {Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x17b4, Hi: 0x17b5, Stride: 1},
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xfe00, Hi: 0xfe0e, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
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
