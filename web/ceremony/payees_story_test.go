package ceremony_test

import (
	"context"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// reads opens a link and gives what the page shows before the passkey is asked.
func (p *person) reads(link string) string {
	p.T.Helper()
	p.Go(link)
	return flat(p.Wait("ready"))
}

func (p *person) payLink(to string) string {
	p.T.Helper()
	owner := apptest.Owner{Address: &railkit.Address{Address: p.address}}
	prepared, err := p.client.Transactions.Prepare(context.Background(), owner.Payment(to, "1"))
	must(p.T, err)
	return prepared.CeremonyURL
}

func (p *person) addLink(name, network, address string, bank *railkit.PayeeBankAccount) string {
	p.T.Helper()
	kind := railkit.PayeeKind("wallet")
	if bank != nil {
		kind = "bank_account"
	}
	prepared, err := p.client.Payees.Prepare(context.Background(), railkit.PayeeRequest{
		Name: name, Network: network, Address: address, Kind: kind, BankAccount: bank,
	})
	must(p.T, err)
	return prepared.CeremonyURL
}

// rosa is a payee on a network that she is not paid on.
const rosa = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65"

// The page has a box for each of the real signer's warnings about addresses, and does not repeat the signer's words.
func TestSigning_A10_PagePayeeStory(t *testing.T) {
	t.Parallel()
	p := newPerson(t, apptest.New(t))
	shows := func(link string, wanted ...string) {
		t.Helper()
		text := p.reads(link)
		webtest.Contains(t, text, wanted...)
		if strings.Contains(text, "Read this first") {
			t.Errorf("the signer's words are shown beside the page's own:\n%s", text)
		}
	}
	bank := &railkit.PayeeBankAccount{
		Owner: "María García López", Bank: "BBVA México", LastFour: "6789", Currency: "MXN",
	}
	added := p.addLink("María García", "base", payee, bank)
	shows(added, "Account ending 6789 Currency MXN Network Base Sepolia (base), chain id 84532",
		"The signer cannot know whose address this is, nor which bank account it leads to.")
	webtest.Contains(t, p.agree(added, "Add payee “María García”"), "The signer has made it", "María García")

	shows(p.payLink(payee),
		"To María García Bank account of María García López at BBVA México ending 6789, MXN 0x 90F7", "In your book of payees since today at")
	webtest.Contains(t, p.agree(p.payLink(payee), "Send 1 USDC"), "The signer has signed it")

	imitation := strings.ToLower(alike)
	shows(p.payLink(imitation), "This is not María García", "only the first 4 and the last 4 characters",
		"Not in your book of payees Not María García: see above 0x 90F7")
	shows(p.addLink("Pedro", "base", imitation, nil), "This is not María García", "Stands for Wallet")
	shows(p.payLink(p.newAddress()), "Your wallet Main")

	p.agree(p.addLink("Rosa", "polygon", rosa, nil), "Add payee “Rosa”")
	shows(p.payLink(rosa), "Rosa is in your book on polygon, not on Base Sepolia")

	all, err := p.client.Payees.List(context.Background(), railkit.PayeeListOptions{})
	must(t, err)
	for _, known := range all.Items {
		if known.Name == "María García" {
			gone, err := p.client.Payees.PrepareRemoval(context.Background(), known.ID)
			must(t, err)
			shows(gone.CeremonyURL, "In your book of payees since today at",
				"What waits for votes to pay it becomes void")
			p.agree(gone.CeremonyURL, "Remove payee “María García”")
		}
	}
	shows(p.payLink(payee), "this address was María García", "Not in your book of payees 0x 90F7")
	webtest.Contains(t, p.reads(p.addLink("María García", "base", p.address, nil)), "Read this first",
		"The name María García stood for another address until")
}
