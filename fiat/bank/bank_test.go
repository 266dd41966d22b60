package bank

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/money"
)

var checks = map[string]func(string) (string, string){
	"iban": checkIBAN, "routing": checkRouting, "clabe": checkCLABE, "bic": checkBIC, "tax": checkTaxID,
	"rfc": checkRFC, "pix": checkPixKey, "brcode": checkBRCode, "sort": exactly(6),
}

// vectors are what others published: kind, right or wrong, value.
func vectors(tb testing.TB) (rows [][]string) {
	tb.Helper()
	raw, err := os.ReadFile("testdata/vectors.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, strings.Split(line, "\t"))
		}
	}
	return rows
}

func TestPayout_BankVectors(t *testing.T) {
	kinds := map[string]int{}
	for _, row := range vectors(t) {
		kinds[row[0]]++
		normal, constraint := checks[row[0]](row[2])
		if (constraint == "") != (row[1] == "right") {
			t.Errorf("%s %s is %s: %s", row[0], row[2], row[1], constraint)
		}
		if again, _ := checks[row[0]](normal); row[1] == "right" && again != normal {
			t.Errorf("%s %s becomes %s and then %s", row[0], row[2], normal, again)
		}
	}
	if len(kinds) != len(checks) {
		t.Errorf("vectors of %v only", kinds)
	}
}

// A number with one digit changed is never taken for another account, which is
// what check digits are for. Those of Brazil find most changes and not all.
func TestPayout_BankTypingErrors(t *testing.T) {
	for _, row := range vectors(t) {
		if found := row[0] == "iban" || row[0] == "routing" || row[0] == "clabe"; row[1] != "right" || !found {
			continue
		}
		normal, _ := checks[row[0]](row[2])
		for i, r := range normal {
			if r < '0' || r > '9' {
				continue
			}
			wrong := normal[:i] + string('0'+(r-'0'+1)%10) + normal[i+1:]
			if _, constraint := checks[row[0]](wrong); constraint == "" {
				t.Errorf("%s %s passes as well as %s", row[0], wrong, normal)
			}
		}
	}
}

const key = "c4249323-b4ca-43f2-8139-8232aab09b93"

var good = map[money.Currency]fiat.Details{
	money.USD: {AccountNumber: "1234 5678-90", RoutingNumber: "111000025", CheckingOrSavings: "Checking"},
	money.MXN: {CLABE: "032 180 0001 1835 9719", LegalName: "Ana", RFC: "gode561231gr8"},
	money.EUR: {IBAN: "de89 3704 0044 0532 0130 00", BIC: "agbmdemm"},
	money.GBP: {SortCode: "20-29-59", AccountNumber: "63748472"},
	money.BRL: {PixKey: "390.533.447-05", TaxID: "390.533.447-05"},
}

func TestPayout_BankDetails(t *testing.T) {
	for c, want := range map[money.Currency]struct {
		d             fiat.Details
		country, last string
		rail          fiat.Rail
	}{
		money.USD: {fiat.Details{
			AccountNumber: "1234567890", RoutingNumber: "111000025", CheckingOrSavings: "checking",
		}, "US", "7890", fiat.ACH},
		money.MXN: {fiat.Details{CLABE: "032180000118359719", LegalName: "Ana", RFC: "GODE561231GR8"},
			"MX", "9719", fiat.SPEI},
		money.EUR: {fiat.Details{IBAN: "DE89370400440532013000", BIC: "AGBMDEMM"}, "DE", "3000", fiat.SEPA},
		money.GBP: {fiat.Details{SortCode: "202959", AccountNumber: "63748472"}, "GB", "8472", fiat.FasterPayments},
		money.BRL: {fiat.Details{PixKey: "39053344705", TaxID: "39053344705"}, "BR", "4705", fiat.PIX},
	} {
		d, err := Check(c, good[c])
		if err != nil || d != want.d {
			t.Errorf("%s: %+v, %v", c, d, err)
		}
		if HomeOf(c, d) != want.country || LastFour(d) != want.last || DefaultRail(c) != want.rail ||
			!Carries(want.rail, c) {
			t.Errorf("%s: %s, %s, %s", c, HomeOf(c, d), LastFour(d), DefaultRail(c))
		}
	}
	if !Carries(fiat.Wire, money.USD) || Carries(fiat.ACH, money.MXN) || Carries(fiat.ACH, "jpy") ||
		DefaultRail("jpy") != "" {
		t.Error("the rails of currencies")
	}
	if got := LastFour(fiat.Details{AccountNumber: "1234"}); got != "34" {
		t.Errorf("of four digits %s is shown", got)
	}
}

// Each is refused by the name of its field, and with nothing of its value.
func TestPayout_BankRefuses(t *testing.T) {
	for _, c := range []struct {
		of     money.Currency
		change func(*fiat.Details)
		want   string
	}{
		{"jpy", func(*fiat.Details) {}, "currency must be one of"},
		{money.USD, func(d *fiat.Details) { d.AccountNumber = "" }, "accountNumber is required"},
		{money.USD, func(d *fiat.Details) { d.RoutingNumber = " " }, "routingNumber is required"},
		{money.USD, func(d *fiat.Details) { d.AccountNumber = "123" }, "accountNumber must have 4 to 17 digits"},
		{money.USD, func(d *fiat.Details) { d.AccountNumber = "123456789012345678" },
			"accountNumber must have 4 to 17 digits"},
		{money.USD, func(d *fiat.Details) { d.AccountNumber = "12345X" }, "accountNumber must have 4 to 17 digits"},
		{money.USD, func(d *fiat.Details) { d.AccountNumber = "١٢٣٤٥" }, "accountNumber must have 4 to 17 digits"},
		{money.USD, func(d *fiat.Details) { d.RoutingNumber = "111000026" }, "routingNumber must be a routing number"},
		{money.USD, func(d *fiat.Details) { d.RoutingNumber = "000000000" }, "routingNumber must be a routing number"},
		{money.USD, func(d *fiat.Details) { d.CheckingOrSavings = "gold" },
			"accountType must be one of checking, savings"},
		{money.USD, func(d *fiat.Details) { d.CLABE = "032180000118359719" },
			"clabe does not go with the currency usd"},
		{money.USD, func(d *fiat.Details) { d.TaxID = "7" }, "taxId does not go with the currency usd"},
		{money.MXN, func(d *fiat.Details) { d.CLABE = "03218000011835971" }, "clabe must have 18 digits"},
		{money.MXN, func(d *fiat.Details) { d.CLABE = "032180000118359718" }, "clabe must be a CLABE"},
		{money.MXN, func(d *fiat.Details) { d.RFC = "X" }, "rfc must be an RFC"},
		{money.MXN, func(d *fiat.Details) { d.RFC = "GODE561331GR8" }, "rfc must be an RFC; its date"},
		{money.MXN, func(d *fiat.Details) { d.LegalName = strings.Repeat("ñ", 201) },
			"legalName must have at most 200"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "DE" }, "iban must be an IBAN"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "US89370400440532013000" },
			"iban must be an IBAN; its country has none"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "DE893704004405320130" },
			"iban must be an IBAN; it has not the length"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "DE88370400440532013000" },
			"iban must be an IBAN; its check digits"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "AE070331234567890123456" },
			"iban must be an IBAN of a country that SEPA reaches"},
		{money.EUR, func(d *fiat.Details) { d.BIC = "AGBMDE" }, "bic must be a BIC of 8 or 11"},
		{money.EUR, func(d *fiat.Details) { d.BIC = "MULTIPLE" }, "bic must be a BIC; its country is none"},
		{money.GBP, func(d *fiat.Details) { d.SortCode = "20295" }, "sortCode must have 6 digits"},
		{money.GBP, func(d *fiat.Details) { d.AccountNumber = "6374847" }, "accountNumber must have 8 digits"},
		{money.BRL, func(d *fiat.Details) { d.PixKey = "" }, "pixKey is required, or brCode"},
		{money.BRL, func(d *fiat.Details) { d.BRCode = "fulano@example.com" }, "pixKey must not be given with brCode"},
		{money.BRL, func(d *fiat.Details) { d.PixKey = "39053344706" }, "pixKey must be a Pix key"},
		{money.BRL, func(d *fiat.Details) { d.PixKey = "+5511" }, "pixKey must be a Brazilian phone"},
		{money.BRL, func(d *fiat.Details) { d.PixKey = strings.Repeat("a", 70) + "@example.com" },
			"pixKey must be an e-mail"},
		{money.BRL, func(d *fiat.Details) { d.PixKey = strings.Replace(key, "-", "x", 1) },
			"pixKey must be a random key"},
		{money.BRL, func(d *fiat.Details) { d.TaxID = "12" }, "taxId must be a CPF or CNPJ"},
		{money.BRL, func(d *fiat.Details) { d.PixKey, d.BRCode = "", "00020126" },
			"brCode must be the text of a Pix QR code"},
		{money.BRL, func(d *fiat.Details) { d.PixKey = "abc529.982.247-25" }, "pixKey must be a Pix key"},
		{money.USD, func(d *fiat.Details) { d.RoutingNumber = "21000021" }, "routingNumber must have 9 digits"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "GB01BARC20714583608387" },
			"iban must be an IBAN; its check digits"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "CH4431999123000889012" },
			"iban must be the account's own IBAN, not its QR-IBAN"},
		{money.EUR, func(d *fiat.Details) { d.IBAN = "LI4430000000000000001" },
			"iban must be the account's own IBAN, not its QR-IBAN"},
		{money.MXN, func(d *fiat.Details) { d.CLABE = "846180000000000016" }, "clabe must be a CLABE"},
	} {
		d := good[c.of]
		c.change(&d)
		_, err := Check(c.of, d)
		f, is := fault.As(err)
		if !is || !strings.HasPrefix(f.Message, "Validation failed: "+c.want) {
			t.Errorf("%s: %v, want %s", c.of, err, c.want)
			continue
		}
		for _, value := range []string{d.AccountNumber, d.RoutingNumber, d.CLABE, d.IBAN, d.PixKey, d.BRCode} {
			if len(value) > 3 && strings.Contains(f.Message, value) {
				t.Errorf("%s: %q repeats the value", c.of, f.Message)
			}
		}
	}
}

// pixCode is the text of a Pix QR code with some fields changed: field number, value ("" leaves it out). Fields from
// "26" on are in the order of their numbers.
func pixCode(change map[string]string) string {
	fields := map[string]string{
		"26": emv("00", pixScheme) + emv("01", key), "52": "0000", "53": "986", "58": "BR", "59": "LOJA TESTE",
		"60": "SAO PAULO", "62": emv("05", "***"),
	}
	maps.Copy(fields, change)
	text := brCodeStart
	for _, number := range slices.Sorted(maps.Keys(fields)) {
		if fields[number] != "" {
			text += emv(number, fields[number])
		}
	}
	text += brCodeEnd
	return text + fmt.Sprintf("%04X", crc16(text))
}

func emv(number, value string) string { return fmt.Sprintf("%s%02d%s", number, len(value), value) }

// A BR Code is an account only if any amount can be sent to its key at any time.
func TestPayout_BankBRCodes(t *testing.T) {
	pix := func(inner string) map[string]string { return map[string]string{"26": emv("00", pixScheme) + inner} }
	const noCode = "the text of a Pix QR code"
	url := emv("25", "pix.example.com/qr/v2/9d36b84fc70b478fb95c12729b90ca25")
	for _, c := range []struct {
		what   string
		change map[string]string
		want   string // "": it is taken
	}{
		{"a static code", nil, ""},
		{"a scheme in capitals", map[string]string{"26": emv("00", "BR.GOV.BCB.PIX") + emv("01", key)}, ""},
		{"one that says that it is static", map[string]string{"01": "11"}, ""},
		{"an open amount", map[string]string{"54": "0.00"}, ""},
		{"a text for the payer", pix(emv("01", key) + emv("02", "obrigado")), ""},
		{"another template", map[string]string{"26": "", "27": emv("00", pixScheme) + emv("01", key)}, ""},
		{"no key and no URL", pix(""), "with a Pix key; this one has none"},
		{"a URL", pix(url), "of a single charge"},
		{"a URL and a key", pix(emv("01", "fulano@example.com") + emv("25", "example.com/qr")), "of a single charge"},
		{"one use", map[string]string{"01": "12"}, "of a single charge"},
		{"a fixed amount", map[string]string{"54": "100.00"}, "without an amount"},
		{"a nickname", pix(emv("01", "lojateste")), "the key in it must be a Pix key"},
		{"a CPF with wrong check digits", pix(emv("01", "11111111111")), "the key in it must be a Pix key"},
		{"euros", map[string]string{"53": "978"}, "of Brazil, in reais"},
		{"Germany", map[string]string{"58": "DE"}, "of Brazil, in reais"},
		{"no country", map[string]string{"58": ""}, "of Brazil, in reais"},
		{"two templates of Pix", map[string]string{"27": emv("00", pixScheme) + emv("01", key)}, noCode},
		{"two keys", pix(emv("01", key) + emv("01", "fulano@example.com")), noCode},
		{"another scheme", map[string]string{"26": emv("00", "com.example") + emv("01", key)}, noCode},
	} {
		d, err := Check(money.BRL, fiat.Details{BRCode: pixCode(c.change), TaxID: good[money.BRL].TaxID})
		f, _ := fault.As(err)
		switch {
		case c.want == "" && (err != nil || LastFour(d) != "9b93" || d.BRCode != pixCode(c.change)):
			t.Errorf("%s: %+v, %v", c.what, d, err)
		case c.want != "" && (err == nil || !strings.HasPrefix(f.Message, "Validation failed: brCode must be") ||
			!strings.Contains(f.Message, c.want)):
			t.Errorf("%s: %v, want %s", c.what, err, c.want)
		}
		if numbers := CheckNumbers(money.BRL, fiat.Details{BRCode: pixCode(c.change)}); (numbers != nil) !=
			(c.want == noCode) {
			t.Errorf("%s, of a depositor: %v", c.what, numbers)
		}
	}
}

// What other systems refused by mistake.
func TestPayout_BankTakes(t *testing.T) {
	for _, c := range []struct {
		of money.Currency
		d  fiat.Details
	}{
		{money.EUR, fiat.Details{IBAN: "CH950070011000000001K"}},
		{money.EUR, fiat.Details{IBAN: "de89370400440532013000"}},
		{money.MXN, fiat.Details{CLABE: "738180000000000124"}},
		{money.MXN, fiat.Details{CLABE: "710969000000000004"}},
		{money.MXN, fiat.Details{CLABE: "646521000000000121"}},
		{money.BRL, fiat.Details{PixKey: key, TaxID: "52998224725"}},
	} {
		if _, err := Check(c.of, c.d); err != nil {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
}

// A key may come under the other dialect's name, and two spellings are one account.
func TestPayout_BankSameAccount(t *testing.T) {
	a, err := Check(money.BRL, fiat.Details{PixKey: "FULANO@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Check(money.BRL, fiat.Details{BRCode: " fulano@Example.com "})
	if err != nil || Number(a) != Number(b) || b.BRCode != "" {
		t.Errorf("%+v and %+v: %v", a, b, err)
	}
	random, _ := Check(money.BRL, fiat.Details{PixKey: strings.ToUpper(key)})
	code, err := Check(money.BRL, fiat.Details{BRCode: pixCode(nil)})
	if err != nil || Number(code) != Number(random) || LastFour(code) != LastFour(random) {
		t.Errorf("a key and its code: %q and %q, %v", Number(random), Number(code), err)
	}
	one, _ := Check(money.USD, good[money.USD])
	moved, other := one, one
	moved.RoutingNumber, other.AccountNumber = "011000015", "1234567891"
	if Number(one) != Number(moved) || Number(one) == Number(other) {
		t.Error("what tells accounts apart")
	}
	uk, _ := Check(money.GBP, good[money.GBP])
	branch := uk
	branch.SortCode = "089999"
	if Number(uk) == Number(branch) {
		t.Error("two banks have the same account")
	}
}

func TestPayout_Countries(t *testing.T) {
	for text, want := range map[string]string{
		"MX": "MX", "mx": "MX", "MEX": "MX", "usa": "US", "GB": "GB", "gbr": "GB",
	} {
		if got, err := Country("country", text); got != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "M", "ZZ", "EU", "484", "XX", "Mexico", "ÄÖ", "001"} {
		if got, err := Country("address.country", text); err == nil {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
	if got := Alpha3("MX"); got != "MEX" {
		t.Errorf("MX is %s", got)
	}
	if got := Alpha3("ZZ"); got != "" {
		t.Errorf("ZZ is %s", got)
	}
}

// What is formatted is checked as what is not.
func TestPayout_BankFormatting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := "DE89370400440532013000"
		for range rapid.IntRange(0, 6).Draw(t, "marks") {
			at := rapid.IntRange(0, len(text)).Draw(t, "at")
			text = text[:at] + rapid.SampledFrom([]string{" ", "-", "\t"}).Draw(t, "mark") + text[at:]
		}
		if normal, constraint := checkIBAN(text); normal != "DE89370400440532013000" || constraint != "" {
			t.Errorf("%q: %q %s", text, normal, constraint)
		}
	})
}

func FuzzDetails(f *testing.F) {
	for _, row := range vectors(f) {
		f.Add(uint8(0), row[2])
	}
	names := []string{"iban", "routing", "clabe", "bic", "tax", "rfc", "pix", "brcode"}
	f.Fuzz(func(t *testing.T, kind uint8, text string) {
		check := checks[names[int(kind)%len(names)]]
		normal, constraint := check(text)
		if (normal == "") != (constraint != "") {
			t.Fatalf("%q and %q", normal, constraint)
		}
		if again, _ := check(normal); constraint == "" && again != normal {
			t.Fatalf("%q becomes %q", normal, again)
		}
	})
}
