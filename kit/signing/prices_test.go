package signing_test

import (
	"maps"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	railkit "github.com/railkit/railkit/sdk/go"
)

const (
	pricesPath   = "/v1/signing/prices"
	overridePath = pricesPath + "/override"
	policiesPath = "/v1/signing/policies"
)

// underStamp makes a call of three forms on a passkey's word.
func underStamp(t *testing.T, a *apptest.App, o apptest.Owner, path string, body map[string]any) apptest.Answer {
	t.Helper()
	var p railkit.Prepared
	got := a.Do(a.Keys.BenchKey, "POST", path+"?prepare=true", apptest.JSON(t, body))
	if err := got.Into(&p); err != nil || got.Status != 200 {
		t.Fatalf("preparing %s: %d %s\n%s", path, got.Status, got.Body, a.Log)
	}
	stamped := maps.Clone(body)
	stamped["signedActivity"] = p.Signed(railkit.Stamp(*stampOf(t, o, p.UnsignedActivity.Body)))
	return a.Do(a.Keys.BenchKey, "POST", path, apptest.JSON(t, stamped))
}

// capped puts a limit in USD on an owner's wallet. It tightens: nobody has to stamp it.
func capped(t *testing.T, a *apptest.App, o apptest.Owner) {
	t.Helper()
	got := a.Do(a.Keys.BenchKey, "POST", policiesPath, apptest.JSON(t, map[string]any{
		"name": "Cap", "walletId": o.Wallet.WalletID, "rules": map[string]any{"maxValueUsd": 100},
	}))
	if got.Status != 201 {
		t.Fatalf("a cap: %d %s\n%s", got.Status, got.Body, a.Log)
	}
}

type priceSeen struct {
	Asset, AsOf, ExpiresAt, Refused string
	USD                             float64
}

func priceOf(t *testing.T, a *apptest.App, asset string) (seen priceSeen) {
	t.Helper()
	var all struct{ Assets []priceSeen }
	if err := a.Do(a.Keys.BenchKey, "GET", pricesPath, "").Into(&all); err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Assets {
		if p.Asset == asset {
			return p
		}
	}
	t.Fatalf("no price of %s among %+v", asset, all.Assets)
	return seen
}

// A price that jumped counts for nobody, and after an override for those alone
// whose passkey said so, or whose votes did.
func TestSigning_E13_OverrideOverHTTP(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice, bob := a.Fund(c, "alice@example.com"), a.Fund(c, "bob@example.com")
	pays := func(o apptest.Owner) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/prepare", apptest.JSON(t, o.Payment(receiver, "1")))
	}
	denied := func(o apptest.Owner) {
		t.Helper()
		got := pays(o)
		wantError(t, got, 422, "policy_denied")
		if d, _ := got.Field("details").(map[string]any); d["rule"] != "unknownPrice" ||
			d["observed"] != "no price of ETH" {
			t.Errorf("denied otherwise: %s", got.Body)
		}
	}
	passes := func(o apptest.Owner) {
		t.Helper()
		if sent, err := c.Transactions.Send(ctx, o.Passkey, o.Payment(receiver, "1")); err != nil {
			t.Errorf("%+v, %v", sent, err)
		}
	}
	capped(t, a, alice)
	capped(t, a, bob)
	passes(alice)
	var told struct {
		DataFees []struct {
			Network, AsOf, Refused string
			WeiPerByte             string
		}
	}
	if err := a.Do(a.Keys.BenchKey, "GET", pricesPath, "").Into(&told); err != nil || len(told.DataFees) != 3 ||
		told.DataFees[0].Network != "base" ||
		told.DataFees[0].WeiPerByte != apptest.DataFee || told.DataFees[0].AsOf == "" {
		t.Errorf("data fees: %+v, %v", told, err)
	}
	if p := priceOf(t, a, "ETH"); p.USD != 3000 || p.Refused != "" || p.AsOf == "" || p.ExpiresAt == "" {
		t.Errorf("before the jump %+v", p)
	}
	a.Prices(t, map[string]string{"ETH": "9000"})
	if p := priceOf(t, a, "ETH"); p.USD != 9000 || p.Refused == "" {
		t.Errorf("after the jump %+v", p)
	}
	denied(alice)
	denied(bob)

	of := func(o apptest.Owner, usd any) map[string]any {
		return map[string]any{"asset": "ETH", "usd": usd, "subOrganizationId": o.Sub.SubOrganizationID}
	}
	post := func(query string, body map[string]any) apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", overridePath+query, apptest.JSON(t, body))
	}
	wantError(t, post("?prepare=true", of(alice, 3000)), 422, "price_not_signed")
	wantError(t, post("", of(alice, 3000)), 422, "price_not_signed")
	wantError(t, post("", of(alice, "9000")), 400, "validation_failed")
	wantError(t, post("", of(alice, 0)), 400, "validation_failed")
	wantError(t, post("", map[string]any{"asset": "ETH", "usd": 9000}), 400, "sub_organization_required")

	got := underStamp(t, a, alice, overridePath, of(alice, 9100))
	var made struct {
		USD               float64
		SubOrganizationID string
		Proof             railkit.Proof
	}
	if err := got.Into(&made); err != nil || got.Status != 200 ||
		made.USD != 9100 || made.SubOrganizationID != alice.Sub.SubOrganizationID || made.Proof.Signature == "" {
		t.Fatalf("overridden: %d %s\n%s", got.Status, got.Body, a.Log)
	}
	passes(alice)
	denied(bob)

	id := queued(t, post("", of(bob, 9000)))
	denied(bob)
	if got := approve(t, a, id, bob); got.Status != 201 {
		t.Fatalf("approving: %d %s\n%s", got.Status, got.Body, a.Log)
	}
	passes(bob)
	if seen := approvalOf(t, a, id); seen.Status != "approved" ||
		seen.Activity != "ACTIVITY_TYPE_OVERRIDE_PRICE" || seen.ActivityID == "" {
		t.Errorf("in the end %+v", seen)
	}
}
