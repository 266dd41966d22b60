package orderview

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/railkit/railkit/rest"
)

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Ana García": "Ana García", "1826.94": "1826.94", "O'Neill": "O'Neill", "'t Hooft": "'t Hooft",
		"a=b": "a=b", "日本": "日本", "Müller-Lüdenscheidt": "Müller-Lüdenscheidt",
		`=HYPERLINK("http://x","y")`: `'=HYPERLINK("http://x","y")`,
		"+1":                         "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "\rx": "'\nx",
		"\nx": "'\nx",
		"＝1":  "'＝1", " =1": "' =1", "\u00a0=1": "'\u00a0=1",
		"\ufeff=1": "'\ufeff=1", "\x00=1": "'\x00=1", "'=1": "''=1",
		"a\r\nb": "a\nb",
	} {
		if got := Cell(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// An order with all that one can have, and with a name and a reason that would be formulas.
func TestWriteCSV(t *testing.T) {
	o := rest.Order{
		ID: "o1", Reference: "OFR-1", Type: "off_ramp", Status: "returned",
		CreatedAt: "c", UpdatedAt: "u", CompletedAt: "d",
		RecipientName: "=1+\"1\",\nx", Rate: "18.4075",
		Source:      rest.OrderSource{Amount: "100.000000", Currency: "usdc", Chain: "base"},
		Destination: rest.OrderDestination{Amount: "1826.94", Currency: "mxn", Rail: "spei", AccountLast4: "0719"},
		Fees:        []rest.OrderFee{{Kind: "network", Amount: "0.5"}, {Kind: "platform", Amount: "0.25"}},
		References:  rest.OrderReferences{DepositTxHash: "0xd", TrackingKey: "K1"},
		Refund:      &rest.Refund{Reference: "REF-1", Status: "completed", Amount: "99.25", TxHash: "0xr"},
		Failure:     &rest.OrderFailure{Code: "R03", Message: "-closed"},
	}
	var out bytes.Buffer
	if err := writeCSV(&out, []rest.Order{o}, false); err != nil {
		t.Fatal(err)
	}
	const want = "OFR-1,o1,off_ramp,returned,c,u,d,\"'=1+\"\"1\"\",\r\nx\",0719,spei,100.000000,usdc,base,0.5,0.25," +
		"18.4075,1826.94,mxn,0xd,K1,REF-1,completed,99.25,0xr,R03,'-closed\r\n"
	if out.String() != want {
		t.Errorf("%q\nwant\n%q", out.String(), want)
	}
}

// Any name comes back from encoding/csv, but for the form of its line ends, and begins no formula.
func FuzzCSVName(f *testing.F) {
	for _, name := range []string{
		"", "Ana", `=HYPERLINK("http://x","y")`, "+1", "-1", "@x", "\t=", "\r\r=", "\r\n=", "a\"b,c\nd",
		"'=", "''", "'\n",
		" \t=", "＝", "\ufeff=1", "日本\u2028語", `\.`, "\xff=",
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var out bytes.Buffer
		if err := writeCSV(&out, []rest.Order{{RecipientName: name}}, true); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 || len(rows[1]) != len(columns) {
			t.Fatalf("%q: %q %v", name, rows, err)
		}
		got := rows[1][slices.Index(rows[0], "recipientName")]
		if strings.TrimSpace(got) != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(strings.TrimSpace(got))[0]) ||
			strings.HasPrefix(got, "\t") || strings.HasPrefix(got, "\r") || strings.HasPrefix(got, "\n") {
			t.Errorf("%q begins as %q", name, got)
		}
		if back := shown(got); back != oneLineEnd.Replace(name) {
			t.Errorf("%q comes back as %q", name, back)
		}
	})
}

// shown is the text of a cell, as docs/payouts.md has readers take it.
func shown(cell string) string {
	if text, is := strings.CutPrefix(cell, "'"); is && formula.MatchString(text) {
		return text
	}
	return cell
}
