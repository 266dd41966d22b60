package ceremony_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// call is a call of the API, with the answer's data.
func apiCall[T any](t *testing.T, a *apptest.App, method, path, body string) (data T) {
	t.Helper()
	got := a.Do(a.Keys.BenchKey, method, path, body)
	if err := got.Into(&data); err != nil || got.Status >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, path, got.Status, got.Body, err)
	}
	return data
}

type linked struct{ CeremonyURL string }

// addsUser has a new user make a passkey in a browser of his own, and the person
// add it on hers.
func (p *person) addsUser(email string) *tab {
	p.T.Helper()
	other := newTab(p.T)
	ch := apiCall[linked](p.T, p.app, "POST", "/v1/signing/passkeys/challenge",
		apptest.JSON(p.T, object{"email": email, "subOrganizationId": p.sub}))
	other.Go(ch.CeremonyURL)
	webtest.Contains(p.T, other.Wait("ready"), "Create a further passkey", email)
	other.press()
	apptest.Eventually(p.T, "the link for the other passkey", func() bool {
		return strings.Contains(other.Text(), "Now add it")
	})
	other.Do(chromedp.Evaluate[chromedp.Void](
		`navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve() }`,
	))
	other.Do(chromedp.Click(chromedp.CSS("button.small")))
	link := other.Eval("window.copied")
	webtest.Contains(p.T, p.agree(link, "Add a passkey for "+email), "The signer has made it", email)
	p.trust()
	return other
}

// trust tells the client whose passkeys there are now.
func (p *person) trust() {
	p.T.Helper()
	keys, err := p.client.Passkeys.List(context.Background(), p.sub)
	must(p.T, err)
	owners := railkit.Owners{RecoveryPublicKey: publicOf(p.T, p.code)}
	for _, k := range keys {
		owners.Credentials = append(owners.Credentials, railkit.Credential{ID: k.CredentialID, PublicKey: k.PublicKey})
	}
	p.client.SubOrganizations.TrustOwners(p.sub, owners)
}

// club is two users of one sub-organization who both have to agree to what costs
// more than ten dollars.
func club(t *testing.T) (ada *person, bob *tab) {
	t.Helper()
	a := apptest.New(t)
	a.Prices(t, map[string]string{"ETH": "3000", "USDC": "1"})
	ada = newPerson(t, a)
	bob = ada.addsUser("bob@example.com")
	config := apiCall[linked](t, a, "PATCH", "/v1/signing/approval-config?prepare=true",
		`{"enabled":true,"thresholdUsd":10,"requiredApprovers":2}`)
	webtest.Contains(t, ada.agree(config.CeremonyURL, "Change when others have to agree"), "The signer has done it")
	return ada, bob
}

// waits stamps a payment that then waits for votes, and gives its approval.
func (p *person) waits() (transaction, approval string) {
	p.T.Helper()
	pay := p.pay("25.50")
	p.Go(pay.CeremonyURL)
	webtest.Contains(p.T, flat(p.Wait("ready")), "until 2 people agree", "It costs more than one may spend alone",
		"Costs, with the highest fee $2")
	p.press()
	webtest.Contains(p.T, p.Wait("done"), "It waits for the approval of others")
	waiting := apiCall[[]struct{ ID string }](p.T, p.app, "GET", "/v1/signing/approvals", "")
	if len(waiting) != 1 {
		p.T.Fatalf("%d approvals wait", len(waiting))
	}
	return pay.TransactionID, waiting[0].ID
}

func (p *person) ballot(approval string) string {
	p.T.Helper()
	return apiCall[linked](
		p.T, p.app, "POST", "/v1/signing/approvals/"+approval+"/approve?prepare=true", "",
	).CeremonyURL
}

// Two people agree on two links, and the payment lands without another call.
func TestSigning_A10_PageApprovalStory(t *testing.T) {
	t.Parallel()
	ada, bob := club(t)
	transaction, approval := ada.waits()
	first, second, third := ada.ballot(approval), ada.ballot(approval), ada.ballot(approval)
	webtest.Contains(t, flat(ada.agree(first, "Approve: send 25.50 USDC")), "It waits for 1 more",
		"1 of 2 ada@example.com")
	bob.Go(second)
	webtest.Contains(t, flat(bob.Wait("ready")), "Asked by ada@example.com", "Agreed so far 1 of 2 ada@example.com",
		"Costs, with the highest fee $2")
	bob.press()
	webtest.Contains(t, flat(bob.Wait("done")), "That was the last vote it needed", "bob@example.com")
	apptest.Eventually(t, "it is confirmed", func() bool {
		tx, err := ada.client.Transactions.Get(context.Background(), transaction)
		return err == nil && tx.Status == "confirmed"
	})
	bob.Go(third)
	webtest.Contains(t, bob.Wait("over"), "It was decided already")
}

// Bob declines his vote on the page, and the request waits on for others.
func TestSigning_A10_PageDeclineStory(t *testing.T) {
	t.Parallel()
	ada, bob := club(t)
	_, approval := ada.waits()
	first, second := ada.ballot(approval), ada.ballot(approval)
	bob.Go(first)
	bob.Wait("ready")
	bob.Do(chromedp.Click(chromedp.CSS("button.quiet")))
	bob.Do(chromedp.SendKeys(chromedp.CSS("textarea"), "Not this month"))
	bob.press()
	webtest.Contains(t, bob.Wait("done"), "You have declined")
	bob.Go(first)
	webtest.Contains(t, bob.Wait("over"), "It was declined")
	ada.Go(second)
	webtest.Contains(t, flat(ada.Wait("ready")), "Agreed so far 0 of 2")
	seen := apiCall[struct{ Status, Comment string }](t, ada.app, "GET", "/v1/signing/approvals/"+approval, "")
	if seen.Status != "pending" || seen.Comment != "" {
		t.Errorf("the approval is %+v", seen)
	}
}
