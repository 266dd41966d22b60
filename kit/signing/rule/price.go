package rule

import (
	"context"
	"errors"

	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// PriceView is the newest signed price of an asset.
type PriceView struct {
	Asset     string      `json:"asset"`
	USD       rest.Number `json:"usd,omitzero" doc:"Of one whole unit; absent where there was never one"`
	AsOf      string      `json:"asOf,omitempty" format:"date-time"`
	ExpiresAt string      `json:"expiresAt,omitempty" format:"date-time"`
	Refused   string      `json:"refused,omitempty" doc:"Why it does not count, but where an override of a sub-organization says otherwise"`
}

// DataFeeView is the fee of a network for a transaction's bytes that the signer reckons with.
type DataFeeView struct {
	Network    string `json:"network"`
	WeiPerByte string `json:"weiPerByte,omitempty" doc:"The most for one byte of a signed transaction; absent where there was never one"`
	AsOf       string `json:"asOf,omitempty" format:"date-time"`
	ExpiresAt  string `json:"expiresAt,omitempty" format:"date-time"`
	Refused    string `json:"refused,omitempty" doc:"Why it does not count: what a transaction costs there is then not known"`
}

// PricesView is every asset that the environment's networks list, and every network that
// charges for data.
type PricesView struct {
	Assets   []PriceView   `json:"assets"`
	DataFees []DataFeeView `json:"dataFees"`
}

// Prices are the prices and data fees that the enclave has now, accepted or not. They are the same for all workspaces.
func (s *Service) Prices(ctx context.Context) (PricesView, error) {
	info, err := s.c.Enclave.Info(ctx)
	v := PricesView{Assets: []PriceView{}, DataFees: []DataFeeView{}}
	for _, p := range info.Prices {
		v.Assets = append(v.Assets, PriceView{
			Asset: p.Asset, USD: rest.Number(p.USD), AsOf: p.AsOf, ExpiresAt: p.ExpiresAt, Refused: p.Refused,
		})
	}
	for _, f := range info.DataFees {
		v.DataFees = append(v.DataFees, DataFeeView{
			Network: f.Chain, WeiPerByte: f.WeiPerByte, AsOf: f.AsOf, ExpiresAt: f.ExpiresAt, Refused: f.Refused,
		})
	}
	return v, err
}

// OverridePriceInput accepts a price that the signer rejected because it moved too far.
type OverridePriceInput struct {
	Asset             string            `json:"asset" minLength:"1" maxLength:"16" doc:"Symbol of a listed coin or token"`
	USD               rest.Number       `json:"usd" doc:"What it is worth about: the newest signed price has to be near"`
	SubOrganizationID string            `json:"subOrganizationId,omitempty" maxLength:"64" doc:"Needed where the workspace has several"`
	SignedActivity    *activity.Stamped `json:"signedActivity,omitempty" doc:"What prepare=true answered, stamped"`
	rest.ReturnTo
}

// PriceOverride is a price that a sub-organization has accepted, for a day at most.
type PriceOverride struct {
	Asset             string      `json:"asset"`
	USD               rest.Number `json:"usd"`
	SubOrganizationID string      `json:"subOrganizationId"`
	Proof             wire.Proof  `json:"proof"`
}

// OverridePrice accepts a signed price for a sub-organization.
func (s *Service) OverridePrice(ctx context.Context, cmd *command.Command, in OverridePriceInput,
	prepare bool,
) (command.Answer, error) {
	if _, ok := wire.ParsePrice(string(in.USD)); !ok {
		return command.Answer{}, fault.Field("usd",
			"must be a plain decimal of more than zero, with at most 18 digits before the point and after it")
	}
	sub, err := s.c.Passkeys.SubOrganization(ctx, cmd.Principal.WorkspaceID, in.SubOrganizationID)
	if err != nil {
		return command.Answer{}, err
	}
	return s.c.Changes.Do(ctx, cmd, activity.Change{
		Kind: wire.OverridePrice, Owner: sub.Owner(), URL: "/v1/signing/prices/override",
		Params: wire.OverridePriceParams{Asset: in.Asset, USD: string(in.USD)},
	}, activity.Stamping{Prepare: prepare, SignedActivity: in.SignedActivity})
}

func overrideOf(a activity.Activity, out client.Outcome) (PriceOverride, error) {
	r := out.Statement.Result
	if r == nil || r.Price == nil {
		return PriceOverride{}, errors.New("the enclave's answer about a price names none")
	}
	return PriceOverride{Asset: r.Price.Asset, USD: rest.Number(r.Price.USD), SubOrganizationID: a.SubOrganizationID,
		Proof: out.Proof}, nil
}

// priceReply is the answer to an accepted price.
func priceReply(_ context.Context, a activity.Activity, out client.Outcome) (any, error) {
	return overrideOf(a, out)
}

// priceAudit is its audit row.
func priceAudit(_ context.Context, a activity.Activity, out client.Outcome) (command.Audit, error) {
	o, err := overrideOf(a, out)
	return command.Audit{
		Resource: a.SubOrganizationID, After: map[string]any{"asset": o.Asset, "usd": o.USD},
	}, err
}
