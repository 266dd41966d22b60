package stories_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/app"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// A server that was taken over can ask, as its login, for whatever challenge it
// likes. What a wallet's passkey signs at the dashboard's origin is no stamp all
// the same: the signer takes those of its sealed origins only.
func TestPlatform_LoginIsNoStamp(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	owner := a.Register(c, "ada@example.com")
	prepared, err := c.Wallets.Prepare(t.Context(), railkit.PrepareWalletRequest{
		WalletName: "Main", SubOrganizationID: owner.Sub.SubOrganizationID,
	})
	if err != nil {
		t.Fatal(err)
	}
	atDashboard := passkey.Browser{Authenticator: owner.Passkey.Misbehaving(passkey.Tamper{Origin: apptest.Dashboard})}
	confirm := func(by passkey.Browser) error {
		stamp, err := by.Stamp(prepared.UnsignedActivity.Body)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Wallets.Confirm(t.Context(), railkit.ConfirmWalletRequest{
			WalletRequestID: prepared.WalletRequestID, SignedActivity: prepared.Signed(stamp),
		})
		return err
	}
	var refused *railkit.Error
	if err := confirm(atDashboard); !errors.As(err, &refused) || refused.Code != "passkey_signature_invalid" {
		t.Errorf("a stamp made at the dashboard: %v", err)
	}
	if err := confirm(owner.Passkey); err != nil {
		t.Errorf("a stamp made at the passkey page: %v", err)
	}

	// Nor does a wallet's passkey log anybody in: the server knows it by no member.
	b := a.Join("bob@example.com", auth.RoleAdmin)
	var ask struct{ Challenge string }
	if err := json.Unmarshal(b.Post("/v1/auth/login/begin", "").Data(), &ask); err != nil {
		t.Fatal(err)
	}
	stamp, err := atDashboard.Stamp("x")
	if err != nil {
		t.Fatal(err)
	}
	var parts struct{ AuthenticatorData, ClientDataJSON, CredentialID, Signature string }
	if err := json.Unmarshal([]byte(stamp.HeaderValue), &parts); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "a wallet's passkey", b.Post("/v1/auth/login/finish", map[string]any{"credential": map[string]any{
		"id": parts.CredentialID, "rawId": parts.CredentialID,
		"type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]string{
			"authenticatorData": parts.AuthenticatorData,
			"clientDataJSON":    parts.ClientDataJSON,
			"signature":         parts.Signature,
			"userHandle":        "YQ",
		},
	}}), 401, "login_refused")
}

// A dashboard on an origin that is sealed in the signer would be where logins
// can be turned into stamps.
func TestPlatform_DashboardIsNotSealed(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Config()
	c.DataDir, c.DatabaseURL, c.DashboardOrigin, c.CeremonyOrigin = t.TempDir(), "", c.CeremonyOrigin, ""
	if other, err := app.New(t.Context(), c); err == nil || !strings.Contains(err.Error(), "--dashboard-origin") {
		t.Errorf("started, or another error: %v", err)
		if other != nil {
			_ = other.Close(t.Context())
		}
	}
}
