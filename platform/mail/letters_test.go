package mail

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template/parse"
	"time"
)

// all are the letters that there are.
var all = []Letter{
	ReturnOrigin{}, WebhookEndpoint{}, KYBDecision{},
	Invitation{}, AccountInvite{}, AccountAlert{}, RecoveryLink{}, Recovery{}, PasskeySynced{}, Payee{}, Requests{},
	Security{},
}

// fields lists what the files of a language show: file, template, field.
func fields(l Language) map[string]bool {
	seen := map[string]bool{}
	for _, t := range letters()[l].Templates() {
		if t.Tree == nil {
			continue
		}
		walk(reflect.ValueOf(t.Root), func(n parse.Node) {
			if f, ok := n.(*parse.FieldNode); ok {
				seen[t.Name()+" "+strings.Join(f.Ident, ".")] = true
			}
		})
	}
	return seen
}

// walk visits each node of a template.
func walk(v reflect.Value, visit func(parse.Node)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*parse.Tree]() {
			return
		}
		if n, ok := v.Interface().(parse.Node); ok && v.Kind() == reflect.Pointer {
			visit(n)
		}
		walk(v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	}
}

// Each language has the same files, which show the same, and each letter has one.
func TestLetters_Alike(t *testing.T) {
	english := fields(English)
	if len(english) < 50 {
		t.Fatalf("only %d fields are shown", len(english))
	}
	for _, l := range Languages {
		for _, diff := range []struct{ a, b map[string]bool }{{english, fields(l)}, {fields(l), english}} {
			for name := range diff.a {
				if !diff.b[name] {
					t.Errorf("%s and en differ in %s", l, name)
				}
			}
		}
		entries, err := fs.ReadDir(files, "letters/"+string(l))
		if err != nil || len(entries) != len(all)+1 { // words.txt
			t.Errorf("%s has %d files: %v", l, len(entries), err)
		}
	}
}

// A letter says of each text who chose it, and all that it holds is shown.
func TestLetters_Fields(t *testing.T) {
	shown := map[string]bool{}
	for name := range fields(English) {
		shown[name[strings.LastIndex(name, " ")+1:]] = true
	}
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for i := range of.NumField() {
			f := of.Field(i)
			if !shown[f.Name] {
				t.Errorf("%s.%s is nowhere shown", of.Name(), f.Name)
			}
			each := f.Type
			for each.Kind() == reflect.Slice || each.Kind() == reflect.Pointer {
				each = each.Elem()
			}
			switch {
			case each == reflect.TypeFor[string]():
				t.Errorf("%s.%s is a plain string: nobody knows who chose it", of.Name(), f.Name)
			case each.Kind() == reflect.Struct && each != reflect.TypeFor[time.Time]():
				check(each)
			}
		}
	}
	for _, l := range all {
		check(reflect.TypeOf(l))
	}
}

const hostile = "Ann\r\nBcc: eve@evil.example\n\nhttps://evil.example/login www.evil.example \u202e\"evil.example\" " +
	"our-dashboard.example/approvals/1"

// filled is a letter whose every text is hostile, but for links.
func filled(of reflect.Type, words string) reflect.Value {
	v := reflect.New(of).Elem()
	for i := range of.NumField() {
		f := v.Field(i)
		switch f.Interface().(type) {
		case time.Time:
			f.Set(reflect.ValueOf(time.Date(2026, 3, 9, 8, 5, 7, 0, time.FixedZone("", 3600))))
			continue
		case Link:
			f.SetString("https://dash.example/page")
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString(words)
		case reflect.Int:
			f.SetInt(2)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			one := filled(f.Type().Elem(), words)
			f.Set(reflect.Append(f, one, one))
		case reflect.Pointer:
			one := reflect.New(f.Type().Elem())
			one.Elem().Set(filled(f.Type().Elem(), words))
			f.Set(one)
		}
	}
	return v
}

var linked = regexp.MustCompile(`\S*://\S*|www\.\S+|\S+@\S+|\S+\.example\S*`)

// Whatever a stranger calls a wallet, an agent or a company: there is no link in the mail but ours, no further header,
// no line of the stranger's own, and no end to its length.
func TestLetters_Hostile(t *testing.T) {
	for _, l := range Languages {
		for _, kind := range all {
			for _, words := range []string{hostile, strings.Repeat("x", 100_000), "pending", "passkey", "approved"} {
				letter, _ := filled(reflect.TypeOf(kind), words).Interface().(Letter)
				subject, text, err := Write(l, letter)
				name := fmt.Sprintf("%s/%s", l, letter.file())
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if strings.ContainsAny(subject, "\r\n") || len([]rune(subject)) > longestSubject || subject == "" ||
					strings.Contains(subject, "Bcc") || strings.Contains(subject, "Subject") {
					t.Errorf("%s: subject %q", name, subject)
				}
				for _, link := range linked.FindAllString(text, -1) {
					if link != "https://dash.example/page" {
						t.Errorf("%s: %q is a link in\n%s", name, link, text)
					}
				}
				if strings.Contains(text, "\nBcc") || strings.Contains(text, "\u202e") || len(text) > 12_000 ||
					strings.Contains(text, "<no value>") || strings.Contains(text, "{{") {
					t.Errorf("%s (%d):\n%.2000s", name, len(text), text)
				}
			}
		}
	}
}

// A letter that has nothing to show but what it must have reads well, too.
func TestLetters_Empty(t *testing.T) {
	for _, l := range Languages {
		for _, letter := range all {
			if _, is := letter.(Security); is {
				letter = Security{Facts: make([]SecurityFact, 1)}
			}
			if subject, text, err := Write(l, letter); err != nil || subject == "" || len(text) < 40 {
				t.Errorf("%s/%s: %v: %q, %q", l, letter.file(), err, subject, text)
			}
		}
	}
}

func TestLetters_Words(t *testing.T) {
	at := time.Date(2026, 11, 23, 11, 59, 58, 0, time.UTC)
	want := map[Language][]string{
		English: {"Your invitation", "as manager.", "until 23 November 2026 11:59 UTC:\n\nhttps://x.example/#t\n"},
		Spanish: {
			"Su invitación", "como gestor.", "hasta el 23 de noviembre de 2026 11:59 UTC:\n\nhttps://x.example/#t\n",
		},
		Portuguese: {"Seu convite", "como gestor.", "até 23 de novembro de 2026 11:59 UTC:\n\nhttps://x.example/#t\n"},
	}
	for _, l := range slices.Sorted(maps.Keys(want)) {
		subject, text, err := Write(l, Invitation{Role: "manager", Until: at, Link: "https://x.example/#t"})
		if err != nil || subject != want[l][0] || !strings.Contains(text, want[l][1]) ||
			!strings.Contains(text, want[l][2]) {
			t.Errorf("%s: %v: %q\n%s", l, err, subject, text)
		}
	}
	if subject, _, err := Write("xx", Invitation{}); err != nil || subject != "Your invitation" {
		t.Errorf("a language that nobody knows: %q, %v", subject, err)
	}
	for code, l := range map[string]Language{"MX": Spanish, "BR": Portuguese, "US": English, "": English} {
		if OfCountry(code) != l {
			t.Errorf("%s: %s", code, OfCountry(code))
		}
	}
}

// A digest lists each kind of fact under its own words.
func TestLetters_Digest(t *testing.T) {
	r := Request{
		ID: "r-1", Activity: "ACTIVITY_TYPE_SIGN_INTENT", Amount: "250.00", Asset: "USDC", Chain: "base",
		To: "0xAb50000000000000000000000000000000000001", Wallet: "Treasury", By: "bob@example.com", Votes: 1,
		Required:  2,
		ExpiresAt: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC), Link: "https://dash.example/approvals/r-1",
	}
	subject, text, err := Write(English, Requests{Business: "Acme", Waiting: []Request{r}})
	want := `This is about the workspace "Acme".

Waiting for your vote:

- A transaction: 250.00 USDC (base) to 0xAb50000000000000000000000000000000000001, from the wallet "Treasury". Asked for by bob@ example. com.
  1 of 2 votes. It expires on 23 November 2026 12:00 UTC.
  https://dash.example/approvals/r-1

A vote takes your passkey. Opening a link in this mail changes nothing.
`
	if err != nil || subject != "A request waits for your vote" || text != want {
		t.Errorf("%v: %q\n%s", err, subject, text)
	}
	subject, _, err = Write(English, Requests{Waiting: []Request{r, r, r}})
	if err != nil || subject != "3 requests wait for your vote" {
		t.Errorf("%v: %q", err, subject)
	}
}

// outbox takes every mail but those to one address.
type outbox struct {
	never string
	sent  []Message
}

func (o *outbox) Send(_ context.Context, m Message) error {
	if m.To == o.never {
		return errors.New("not now")
	}
	o.sent = append(o.sent, m)
	return nil
}

// Of several people each gets one mail, however often it is among them, under the same id at each try; one whose mail
// fails keeps nobody else from theirs, and the failure is told.
func TestPost_DeliverAll(t *testing.T) {
	box := &outbox{never: "bob@example.com"}
	p := NewPost(box, nil, slog.New(slog.DiscardHandler))
	all := []string{"carol@example.com", "bob@example.com", "Ada@example.com", "ada@EXAMPLE.com"}
	for range 2 {
		if err := p.DeliverAll(t.Context(), "w", all, ReturnOrigin{}, "n", "1"); err == nil {
			t.Error("the mail that failed is not told")
		}
	}
	if len(box.sent) != 4 || box.sent[0].ID != box.sent[2].ID || box.sent[1].ID != box.sent[3].ID ||
		box.sent[0].ID == box.sent[1].ID || !strings.EqualFold(box.sent[0].To, "ada@example.com") {
		t.Errorf("sent: %+v", box.sent)
	}
	if len(all) != 4 || all[0] != "carol@example.com" {
		t.Errorf("the caller's list became %v", all)
	}
}
