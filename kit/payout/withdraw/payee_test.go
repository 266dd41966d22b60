package withdraw

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/pair"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/text"
)

func paidAt(name string, a account.Account) account.Payee {
	return account.Payee{Recipient: recipient.Recipient{Name: name}, Account: a}
}

func TestPayee_BankAccount(t *testing.T) {
	mexican := account.Account{
		Currency: money.MXN, Rail: fiat.SPEI, Country: "MX", BankName: " BBVA ",
		Shown: account.Shown{LastFour: "6789", LegalName: "María García"},
	}
	nameless, pix, british := mexican, mexican, mexican
	nameless.Shown.LegalName, nameless.BankName = "", ""
	pix.Currency, pix.Rail, pix.Country, pix.Shown.LastFour = money.BRL, fiat.PIX, "BR", "m.éb"
	british.Currency, british.Rail, british.Country, british.BankName = money.GBP, fiat.FasterPayments, "", ""
	for what, c := range map[string]struct {
		to   account.Payee
		want rest.PayeeBankAccount
	}{
		"whole": {paidAt("María", mexican), rest.PayeeBankAccount{
			Owner: "María García", Bank: "BBVA", LastFour: "6789", Currency: "MXN",
		}},
		"without names": {paidAt("María", nameless), rest.PayeeBankAccount{
			Owner: "María", Bank: "SPEI bank (MX)", LastFour: "6789", Currency: "MXN",
		}},
		"a Pix key": {paidAt("María", pix), rest.PayeeBankAccount{
			Owner: "María García", Bank: "BBVA", LastFour: "m.b", Currency: "BRL",
		}},
		"without country": {paidAt("María", british), rest.PayeeBankAccount{
			Owner: "María García", Bank: "FASTER PAYMENTS bank", LastFour: "6789", Currency: "GBP",
		}},
	} {
		if got := bankOf(c.to); got != c.want {
			t.Errorf("%s: %+v", what, got)
		}
	}
}

// The signer takes names of at most 100 bytes. However long those of owner and bank are, number, currency, stablecoin
// and network are whole.
func TestPayee_DefaultName(t *testing.T) {
	s := New(Config{Pairs: pair.Pairs{Environment: chain.Sandbox}})
	on := func(slug string, c money.Currency) Address { return Address{Chain: slug, Currency: c} }
	bank := rest.PayeeBankAccount{Owner: "María García", Bank: "BBVA", LastFour: "6789", Currency: "MXN"}
	if got := s.nameOf(on("base", money.USDC), bank); got != "María García, BBVA 6789 MXN (USDC on Base Sepolia)" {
		t.Error(got)
	}
	for _, owner := range []string{"A", "María García", strings.Repeat("María García ", 16), strings.Repeat("金", 66)} {
		for _, of := range []string{"B", strings.Repeat("Bánco ", 33), strings.Repeat("銀行", 33)} {
			bank := bankOf(paidAt(owner, account.Account{
				Currency: money.MXN, BankName: of, Shown: account.Shown{LastFour: "6789"},
			}))
			seen := map[string]bool{}
			for _, a := range []Address{
				on("base", money.USDC), on("polygon", money.USDC), on("polygon", money.USDT),
				on("arbitrum", money.USDT),
			} {
				name := s.nameOf(a, bank)
				seen[name] = true
				for what, text := range map[string]string{"owner": bank.Owner, "bank": bank.Bank, "name": name} {
					fits(t, what, text)
				}
				if !strings.Contains(name, " 6789 MXN ("+string(a.Currency.Upper())+" on ") || name[0] != owner[0] {
					t.Errorf("%q", name)
				}
			}
			if len(seen) != 4 {
				t.Errorf("names are not apart: %v", seen)
			}
		}
	}
}

func fits(t *testing.T, what, name string) {
	t.Helper()
	if len(name) > 100 || !utf8.ValidString(name) || !text.Visible(name) || strings.TrimSpace(name) != name {
		t.Errorf("the signer refuses the %s %q (%d bytes)", what, name, len(name))
	}
}
