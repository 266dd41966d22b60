package mail

import (
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/railkit/railkit/text"
)

// What letters show. They hold no plain text: each value says who chose it.
type (
	// Name was chosen by somebody: a wallet's, an agent's, a company's. It is quoted, and nothing in it is a link.
	Name string
	// Address is an e-mail address, of which mail programs make no link.
	Address string
	// Word is the server's own: an id, an amount, a network, the address of a chain.
	Word string
	// Link is one that the server made, for the reader to open, or what of it the reader types in.
	Link string
)

// The longest values that a letter shows, in characters.
const (
	longestName = 80
	longestWord = 120
)

// String quotes the name: what stands in quotes is not the server's word.
func (n Name) String() string {
	return `"` + strings.ReplaceAll(short(text.InMail(string(n)), longestName), `"`, "'") + `"`
}

// String is the address with gaps.
func (a Address) String() string { return short(text.InMail(string(a)), longestName) }

// String is the word, on one line. One that holds a link is shown with gaps.
func (w Word) String() string {
	plain := string(w)
	unseen := func(r rune) bool { return !text.Visible(string(r)) }
	if strings.Contains(plain, "://") || strings.ContainsFunc(plain, unseen) {
		plain = text.InMail(plain)
	}
	return short(plain, longestWord)
}

// short cuts a text that is longer than so many characters.
func short(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}

// months are their names in each language.
var months = map[Language][]string{
	English: {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
		"November", "December"},
	Spanish: {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
		"noviembre", "diciembre"},
	Portuguese: {"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
		"novembro", "dezembro"},
}

// functions are what the files of a language call. Times are UTC, and say so.
func functions(l Language) template.FuncMap {
	day := "%d %s %d"
	if l != English {
		day = "%d de %s de %d"
	}
	at := func(t time.Time, clock string) string {
		t = t.UTC()
		return fmt.Sprintf(day, t.Day(), months[l][t.Month()-1], t.Year()) + t.Format(" "+clock) + " UTC"
	}
	return template.FuncMap{
		"minute": func(t time.Time) string { return at(t, "15:04") },
		"second": func(t time.Time) string { return at(t, "15:04:05") },
	}
}
