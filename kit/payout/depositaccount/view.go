package depositaccount

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/fiat"
	"github.com/railkit/railkit/fiat/bank"
	"github.com/railkit/railkit/fiat/calendar"
	"github.com/railkit/railkit/kit/payout/provision"
	"github.com/railkit/railkit/money"
	"github.com/railkit/railkit/platform/vault"
	"github.com/railkit/railkit/rest"
)

// View is the account as the API shows it, with its numbers in full: they are the workspace's own, to give away. One
// that the partner has yet to create is no deactivated one: it has no number yet.
func (s *Service) View(ctx context.Context, a Account) (rest.DepositAccount, error) {
	shown, err := s.WalletOf(ctx, a)
	if err != nil {
		return rest.DepositAccount{}, err
	}
	v := rest.DepositAccount{
		ID: a.ID, Reference: a.Reference, IntegratorID: a.WorkspaceID, WalletID: shown,
		SourceCurrency: string(a.Source), PartnerVirtualAccountID: a.PartnerID, DestinationPaymentRail: a.Chain,
		DestinationCurrency: string(a.Destination), DestinationAddress: a.Address, Status: "deactivated",
		CreatedAt: clock.ISO(a.CreatedAt), UpdatedAt: clock.ISO(a.UpdatedAt),
	}
	if a.Active() || a.Status == provision.Provisioning {
		v.Status = "active"
	}
	told, err := s.Instructions(a)
	rails := told.Rails
	if err == nil && told.Currency != "" {
		v.SourceDepositInstructions = viewInstructions(told)
	} else {
		rails = []fiat.Rail{bank.DefaultRail(a.Source)}
	}
	v.Limits = s.viewLimits(a, rails)
	return v, err
}

// WalletOf is the id by which the API shows the wallet of an account.
func (s *Service) WalletOf(ctx context.Context, a Account) (string, error) {
	return s.c.Wallets.Shown(ctx, a.WorkspaceID, a.WalletID)
}

// viewLimits is what is known of a deposit before it is sent.
func (s *Service) viewLimits(a Account, rails []fiat.Rail) rest.DepositLimits {
	of := s.c.Limits[a.Source]
	v := rest.DepositLimits{
		MinimumAmount: of.Min.String(), MaximumAmount: of.Max.String(), Rails: []rest.DepositRail{},
		TotalFeePercent: percent(a.FeePoints),
	}
	for _, r := range rails {
		words, cutOff, latest := calendar.Estimate(r, s.c.Clock.Now())
		v.Rails = append(v.Rails, rest.DepositRail{
			Rail: string(r), EstimatedArrival: words, CutOffAt: clock.ISOOrNil(cutOff),
			ArrivesBy: clock.ISOOrNil(latest),
		})
	}
	return v
}

// percent writes basis points as a percentage: 110 is 1.1.
func percent(points int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%02d", points/100, points%100), "0"), ".")
}

func viewInstructions(i fiat.Instructions) *rest.SourceDepositInstructions {
	v := rest.SourceDepositInstructions{
		Currency: string(i.Currency), PaymentRails: []string{}, BankName: i.BankName, BankAddress: i.BankAddress,
		BeneficiaryName: i.Beneficiary, CLABE: i.Details.CLABE, IBAN: i.Details.IBAN, BIC: i.Details.BIC,
		SortCode: i.Details.SortCode, BRCode: i.Details.BRCode,
	}
	for _, r := range i.Rails {
		v.PaymentRails = append(v.PaymentRails, string(r))
	}
	switch i.Currency {
	case money.USD:
		v.BankAccountNumber, v.BankRoutingNumber = i.Details.AccountNumber, i.Details.RoutingNumber
	case money.GBP:
		v.AccountNumber = i.Details.AccountNumber
	}
	return &v
}

// Instructions are what the partner tells depositors of the account. Their currency is empty until it has.
func (s *Service) Instructions(a Account) (i fiat.Instructions, err error) {
	if a.Sealed == "" {
		return i, nil
	}
	raw, err := s.c.Vault.Open(placeOf(a), a.Sealed)
	if err != nil {
		return i, fmt.Errorf("opening the instructions of deposit account %s: %w", a.ID, err)
	}
	if json.Unmarshal(raw, &i) != nil {
		return i, fmt.Errorf("decoding the instructions of deposit account %s", a.ID) // the cause may tell a number
	}
	return i, nil
}

// seal keeps the partner's instructions in the row, encrypted. It keeps those that are there where none are told.
func (s *Service) seal(a *Account, i fiat.Instructions) error {
	if i.Currency == "" {
		return nil
	}
	raw, err := json.Marshal(i)
	if err != nil {
		return fmt.Errorf("encoding the instructions of a deposit account: %w", err)
	}
	a.Sealed = s.c.Vault.Seal(placeOf(*a), raw)
	return nil
}

func placeOf(a Account) vault.Place {
	return vault.Place{WorkspaceID: a.WorkspaceID, Kind: "deposit_accounts", ID: a.ID, Field: "sealed"}
}
