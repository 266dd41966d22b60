package payment

import (
	"slices"
	"testing"

	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/kit/payout/account"
	"github.com/railkit/railkit/kit/payout/order"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/kit/payout/screen"
)

func TestPayout_ScreeningSubjects(t *testing.T) {
	o := order.Order{Chain: "base", RecipientName: "Ana R", PayIn: &order.PayIn{Sender: "Bo SA"}}
	to := account.Payee{
		Recipient: recipient.Recipient{Name: "Ana Ruiz", Address: fiat.Address{Country: "US"}},
		Account:   account.Account{Country: "MX", Shown: account.Shown{LegalName: "Ana Ruiz SA"}},
	}
	want := []screen.Subject{
		{Kind: screen.Name, Role: screen.Recipient, Value: "Ana Ruiz", Country: "US"},
		{Kind: screen.Name, Role: screen.Recipient, Value: "Ana R", Country: "US"},
		{Kind: screen.Name, Role: screen.AccountOwner, Value: "Ana Ruiz SA", Country: "MX"},
		{Kind: screen.Address, Role: screen.Sender, Value: "0xab", Chain: "base"},
		{Kind: screen.Name, Role: screen.Sender, Value: "Bo SA"},
	}
	if got := subjects(o, to, []string{"0xab"}); !slices.Equal(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}
