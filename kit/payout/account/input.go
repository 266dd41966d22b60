package account

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/kit/payout/recipient"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/record"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
)

func detailsOf(in rest.BankAccountRequest) fiat.Details {
	return fiat.Details{
		AccountNumber: in.AccountNumber, RoutingNumber: in.RoutingNumber, CheckingOrSavings: in.AccountType,
		SortCode: in.SortCode,
		CLABE:    in.CLABE, LegalName: in.LegalName, RFC: in.RFC, IBAN: in.IBAN, BIC: in.BIC, PixKey: in.PixKey,
		BRCode: in.BRCode, TaxID: in.TaxID,
	}
}

// currencyOf is what is said or, as the spec's own examples leave it out, what only
// one currency's accounts have.
func currencyOf(in rest.BankAccountRequest) (money.Currency, error) {
	switch {
	case in.Currency != "":
		return money.Currency(strings.ToLower(in.Currency)), nil
	case in.CLABE != "":
		return money.MXN, nil
	case in.IBAN != "":
		return money.EUR, nil
	case in.SortCode != "":
		return money.GBP, nil
	case in.PixKey+in.BRCode != "":
		return money.BRL, nil
	case in.RoutingNumber != "":
		return money.USD, nil
	}
	return "", fault.Field("currency", "is required")
}

// FromInput makes an account from a checked input.
func (s *Service) FromInput(r recipient.Recipient, in rest.BankAccountRequest) (Account, error) {
	c, err := currencyOf(in)
	if err != nil {
		return Account{}, err
	}
	d, err := bank.Check(c, detailsOf(in))
	if err != nil {
		return Account{}, err
	}
	now := s.clock.Now()
	a := Account{
		WorkspaceID: r.WorkspaceID, ID: record.NewID(), RecipientID: r.ID, Currency: c, Rail: fiat.Rail(in.Rail),
		BankName: strings.TrimSpace(in.BankName),
		Country:  bank.HomeOf(c, d), Address: r.Address, Registration: Provisioning, Active: true,
		KeyedAt: now, TriedAt: now, PayableAt: now.Add(s.cooling), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if a.Rail == "" {
		a.Rail = bank.DefaultRail(c)
	}
	if !bank.Carries(a.Rail, c) {
		return Account{}, fault.Field("rail", "does not move the currency "+string(c))
	}
	if in.Country != "" {
		if a.Country, err = bank.Country("country", in.Country); err != nil {
			return Account{}, err
		}
	}
	if in.Address != nil {
		if a.Address, err = recipient.ReadAddress(*in.Address); err != nil {
			return Account{}, err
		}
	}
	a.PartnerKey = partnerKey(a.ID, in.IdempotencySalt)
	a.Fingerprint = s.fingerprint(a.WorkspaceID, c, d)
	return a, s.sealer.seal(&a, d)
}

// fingerprint is the same for the same account, and tells nobody its number.
func (s *Service) fingerprint(workspaceID string, c money.Currency, d fiat.Details) string {
	return s.vault.Fingerprint(workspaceID, "bank_accounts", string(c)+"/"+bank.Number(d))
}

// sealer encrypts the numbers of accounts, so that the database alone does not reveal them.
type sealer struct{ vault *vault.Vault }

// seal stores details in an account, encrypted, and the part of them that may be shown.
func (s sealer) seal(a *Account, d fiat.Details) error {
	raw, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encoding bank details: %w", err)
	}
	a.Sealed = s.vault.Seal(placeOf(*a, "sealed"), raw)
	a.Shown = Shown{
		LastFour: bank.LastFour(d), RoutingNumber: d.RoutingNumber, AccountType: d.CheckingOrSavings,
		SortCode: d.SortCode,
		BIC:      d.BIC, LegalName: d.LegalName,
	}
	return nil
}

// unseal reads an account's details.
func (s sealer) unseal(a Account) (d fiat.Details, err error) {
	err = s.unsealTo(a, "sealed", a.Sealed, &d)
	return d, err
}

func (s sealer) unsealTo(a Account, field, sealed string, v any) error {
	raw, err := s.vault.Open(placeOf(a, field), sealed)
	if err != nil {
		return fmt.Errorf("opening the %s of bank account %s: %w", field, a.ID, err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("decoding the %s of bank account %s", field, a.ID) // the cause may tell what is in it
	}
	return nil
}

func placeOf(a Account, field string) vault.Place {
	return vault.Place{WorkspaceID: a.WorkspaceID, Kind: "bank_accounts", ID: a.ID, Field: field}
}
