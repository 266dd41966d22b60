package bridge

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

// decimal is an amount or a rate as it was written: a text or a number, never
// anything that was rounded.
type decimal string

// UnmarshalJSONFrom takes a string or a number literal; null is none.
func (d *decimal) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch value.Kind() {
	case '0':
		*d = decimal(value)
	case '"':
		text, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return err
		}
		*d = decimal(text)
	case 'n':
		*d = ""
	default:
		return fiat.ErrAnswer
	}
	return nil
}

// amount reads an amount of a currency. Zeros beyond its places are only paper;
// anything else there is a sum that we could not pay.
func (d decimal) amount(c money.Currency) (money.Amount, error) {
	text := string(d)
	if whole, part, dotted := strings.Cut(text, "."); dotted && len(part) > c.Places() {
		kept := part[:c.Places()]
		if strings.Trim(part[c.Places():], "0") != "" {
			return money.Amount{}, fmt.Errorf("an amount: %w", fiat.ErrAnswer)
		}
		text = strings.TrimSuffix(whole+"."+kept, ".")
	}
	a, err := money.Parse(text, c)
	if err != nil {
		return money.Amount{}, fmt.Errorf("an amount: %w: %w", fiat.ErrAnswer, err)
	}
	return a, nil
}

// rest is an amount that need not be there.
func (d decimal) rest(c money.Currency) (money.Amount, error) {
	if d == "" {
		return money.Of(0, c), nil
	}
	return d.amount(c)
}

// rate reads a rate that need not be there.
func (d decimal) rate() (money.Rate, error) {
	if d == "" {
		return money.Rate{}, nil
	}
	r, err := money.ParseRate(string(d))
	if err != nil {
		return money.Rate{}, fmt.Errorf("a rate: %w: %w", fiat.ErrAnswer, err)
	}
	return r, nil
}

// or is the first that is there.
func (d decimal) or(other decimal) decimal {
	if d != "" {
		return d
	}
	return other
}

// first is the first text that is there.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// pattern is compiled when it is first asked for: most programs that link this ask for none.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var ids = pattern(`^[A-Za-z0-9_-]{1,64}$`)

// told checks an id that the partner gave.
func told(id string) error {
	if !ids().MatchString(id) {
		return fmt.Errorf("an id: %w", fiat.ErrAnswer)
	}
	return nil
}

// same compares what an answer is about with what was asked, where it says so.
func same(what, told, asked string) error {
	if told != "" && told != asked {
		return fmt.Errorf("another %s than asked for: %w", what, fiat.ErrAnswer)
	}
	return nil
}

// firstOf is the first error.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// path joins names and ids. What is no id is nothing that the partner could know.
func path(parts ...string) (string, error) {
	for i := 1; i < len(parts); i += 2 {
		if !ids().MatchString(parts[i]) {
			return "", fiat.ErrNotFound
		}
		parts[i] = url.PathEscape(parts[i])
	}
	return "/" + strings.Join(parts, "/"), nil
}

// instant reads a time that need not be there.
func instant(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("a time: %w", fiat.ErrAnswer)
	}
	return t.UTC(), nil
}
