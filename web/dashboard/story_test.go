package dashboard_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Somebody is invited, logs in, makes a wallet and a rule, and sends; a key is made, used, and revoked in use.
func TestDashboard_Story(t *testing.T) {
	w := newWorld(t)
	w.Prices(t, map[string]string{"ETH": "3000", "USDC": "1"})
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	ada.settles()
	ada.Picture("dashboard-home-empty")

	ada.click("Wallets")
	ada.sees("There is no wallet yet")
	ada.click("Make your passkey of the signer")
	ada.registers()
	ada.click("New wallet")
	ada.types("walletName", "Treasury")
	ada.click("Go on")
	ada.stamps()
	ada.sees("Treasury")
	ada.click("Treasury")
	ada.sees("There is no rule")
	ada.settles()
	ada.Picture("dashboard-wallet")

	ada.click("New rule")
	ada.types("name", "Daily")
	ada.types("maxValueUsd", "500")
	ada.types("dailyUsd", "50")
	ada.click("Look at it on the passkey page")
	ada.sees("One transaction may be more than a whole day")
	ada.types("dailyUsd", "1000")
	ada.click("Look at it on the passkey page")
	ada.stamps()
	ada.sees("Daily", "1\u202f000 USD")
}

// A key is shown once, works, and ends while a program uses it.
func TestDashboard_KeyRevokedInUse(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleAdmin)
	ada.click("API keys")
	ada.click("New key")
	ada.types("name", "Backend")
	ada.types("ipAllowlist", "not a network")
	ada.click("Make the key")
	ada.sees("ipAllowlist[0] must be an IP address")
	ada.types("ipAllowlist", "")
	ada.click("Make the key")
	ada.sees("It is shown this once")
	key := ada.Eval(`document.querySelector("dialog code").textContent`)
	if a := w.Do(key, "GET", "/v1/orders", ""); a.Status != 200 {
		t.Fatalf("the new key: %d %s", a.Status, a.Body)
	}
	ada.click("I have kept it")
	if strings.Contains(ada.Eval("document.body.innerHTML"), key) {
		t.Error("the key is still on the page")
	}
	ada.sees("Backend")
	ada.click("Revoke")
	ada.sees("The program that calls with Backend is refused")
	ada.click("Revoke")
	apptest.Eventually(t, "the key is refused", func() bool { return w.Do(key, "GET", "/v1/orders", "").Status == 404 })
	ada.sees("Revoked")
}

// A member says which mails it wants, and in which language; security notices are not among them.
func TestDashboard_ChoosesMails(t *testing.T) {
	w := newWorld(t)
	ada := w.joins(t, "ada@example.com", auth.RoleViewer)
	ada.visit("/me")
	ada.sees("Mails to you", "New passkeys, recoveries and stopped agents are always mailed")
	ada.types("language", "es")
	ada.Eval(`document.querySelector("input[value='agents']").click()`)
	ada.Eval(`[...document.querySelectorAll("button")].find((b) => b.innerText === "Save").click()`)
	ada.sees("it holds for mails that are not sent yet")
	apptest.Eventually(t, "the choice is kept", func() bool {
		var n int
		row := w.Store.Writer().QueryRow(`SELECT COUNT(*) FROM members WHERE language = 'es' AND muted = '["agents"]'`)
		return row.Scan(&n) == nil && n == 1
	})
}

// Two people can sign, and have to agree to what is dear. One sends; both look at it in the dashboard, agree on the
// passkey page, and it is paid.
func TestDashboard_TwoApprove(t *testing.T) {
	w := newWorld(t)
	w.Prices(t, map[string]string{"ETH": "3000", "USDC": "1"})
	ada, bob := w.joins(t, "ada@example.com", auth.RoleAdmin), w.joins(t, "bob@example.com", auth.RoleManager)
	ada.click("Wallets")
	ada.click("Make your passkey of the signer")
	ada.registers()
	ada.click("New wallet")
	ada.types("walletName", "Treasury")
	ada.click("Go on")
	ada.stamps()
	ada.click("Treasury")
	ada.click("Ask the signer whether it is its address")
	ada.sees("The signer vouches for it", "of its journal")
	address := ada.whole(".address-card code")
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		must(w.Client().Sandbox.Faucet(t.Context(), railkit.FaucetRequest{
			Chain: "base", Address: address, Asset: asset, Amount: amount,
		}))(t)
	}
	ada.visit("/wallets")
	ada.addsSigner(bob, "bob@example.com")
	ada.click("Approvals")
	ada.click("Change")
	ada.types("enabled", "yes")
	ada.types("thresholdUsd", "10")
	ada.types("requiredApprovers", "3")
	ada.click("Look at it on the passkey page")
	ada.sees("Only 2 can sign")
	ada.types("requiredApprovers", "2")
	ada.click("Look at it on the passkey page")
	ada.stamps()
	ada.sees("10 USD", "2 of 2 have agreed")

	ada.click("Wallets")
	ada.click("Treasury")
	ada.click("Send")
	ada.types("amount", "44")
	ada.types("to", stranger)
	ada.click("Look at it on the passkey page")
	ada.stamps()
	ada.sees("Awaiting approval")
	ada.click("Approvals")
	ada.votes("Send 44 USDC to 0x3C44")
	bob.visit("/")
	bob.sees("Waits for votes", "1 of 2")
	bob.votes("Send 44 USDC to 0x3C44")
	bob.sees("Approved")
	apptest.Eventually(t, "it is paid", func() bool { return w.HoldsUSDC("base", stranger) >= 44_000_000 })
	ada.visit("/transactions")
	ada.sees("Confirmed", "44 USDC")
}

// addsSigner gives another person a passkey of the signer: the link that the dashboard makes, on the other's device,
// and then the one that this shows, with the passkey of who adds.
func (p *person) addsSigner(other *person, email string) {
	p.T.Helper()
	p.click("Add a person")
	p.types("email", email)
	p.click("Make the link")
	p.sees("Give them this link yourself")
	other.Go(p.whole("dialog .secret code"))
	other.Wait("ready")
	other.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
	other.sees("Now add it")
	other.Do(chromedp.Evaluate[chromedp.Void](
		`navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve() }`))
	other.Do(chromedp.Click(chromedp.CSS("button.small")))
	p.Go(other.Eval("window.copied"))
	p.Wait("ready")
	p.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
	p.Wait("done")
	p.visit("/wallets")
	p.sees(email)
}

// votes opens the request that waits, sees what it does, and agrees to it on the passkey page.
func (p *person) votes(title string) {
	p.T.Helper()
	apptest.Eventually(p.T, "it waits in the list", func() bool {
		return p.Eval(`(() => {
			const row = [...document.querySelectorAll("main td a")].find((a) => a.textContent.startsWith("`+title+`"));
			row?.click();
			return row !== undefined;
		})()`) == "true"
	})
	p.sees("What it does", "44000000 in the smallest unit", "Asked by\nada@example.com")
	p.click("Approve on the passkey page")
	p.stamps()
}

// On a workspace that is in use: a payee that was picked stays in the field, whatever was typed before; and an agent is
// killed, where the dialog says what that does, and what was signed before.
func TestDashboard_InUse(t *testing.T) {
	_, s, ada := used(t, func(text string) string { return text })
	ada.follow("/wallets/" + s.wallet + "/send")
	ada.types("to", "0x12")
	ada.types("amount", "0")
	ada.click("Look at it on the passkey page")
	ada.sees("Validation failed: to ")
	ada.click("Acme Supplies " + stranger)
	ada.click("Look at it on the passkey page")
	ada.sees("Validation failed: amount ")
	if got := ada.Eval(`document.querySelector("[name=to]").value`); got != stranger {
		t.Errorf("the payee that was picked became %s", got)
	}

	ada.follow("/agents/" + s.agent)
	ada.click("Kill it")
	ada.sees("It pays nothing more, for ever", "What it signed before can still be handed in: 0")
	ada.click("Kill it")
	ada.sees("Killed")
}
