package ceremony_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/testenv"
	"github.com/railkit/railkit/internal/test/webtest"
)

// The addresses of these tests: alike begins and ends like payee.
const alike = "0x90F7bA5C6e1d92D4a7f83Bc05f6E2a1986d4b906"

var (
	maria = wire.Payee{
		ID: "3b0f6a52-7f0e-4a52-9d59-0d1e5a0c7b11", Name: "María García", Chain: "base", Address: payee,
		Kind: wire.BankAccountPayee, AddedAt: "2026-10-23T14:05:00.000Z",
		BankAccount: &wire.PayeeBankAccount{
			Owner: "María García López", Bank: "BBVA México", LastFour: "6789", Currency: "MXN",
		},
	}
	mariaIsIn     = wire.Counterparty{Address: payee, Payee: &maria}
	looksLikeHers = wire.Counterparty{
		Address: alike, LooksLike: []wire.Resemblance{{Name: maria.Name, Address: maria.Address}},
	}
	saysSo = alike + " is not María García: its address begins and ends like " + payee + ", and is another one"
)

// paying opens a payment to an address of which the signer says this.
func (h *host) paying(passkey, to string, said []wire.Counterparty, warnings ...string) {
	body := transferBody(to)
	stamp := h.asks("transaction", body, passkey)
	p := shown(body)
	p.Counterparties, p.Warnings = said, warnings
	h.set(func() { stamp["preview"] = h.signer.previewAs(body, p) })
}

func TestSigning_A10_PageShowsThePayee(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	h.paying(b.givePasskey(), payee, []wire.Counterparty{mariaIsIn})
	b.Go(h.link())
	text := flat(b.Wait("ready"))
	webtest.Contains(t, text,
		"María García Bank account of María García López at BBVA México ending 6789, MXN 0x 90F7",
		"In your book of payees since ")
	if strings.Contains(text, "Not in your book") {
		t.Error("a payee is called a stranger")
	}
	b.press()
	b.Wait("done")
}

func TestSigning_A10_PageTellsAStranger(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	elsewhere := mariaIsIn
	elsewhere.Address = payer
	hers := maria
	hers.Address = payer
	for name, said := range testenv.SampleMap(t, map[string][]wire.Counterparty{
		"an older signer":              nil,
		"an address without a name":    {{Address: payee}},
		"a payee of another address":   {elsewhere},
		"two answers for one address":  {mariaIsIn, mariaIsIn},
		"a payee on another address's": {{Address: payee, Payee: &hers}},
	}, 2) {
		h.paying(passkey, payee, said)
		b.Go(h.link())
		webtest.Contains(t, flat(b.Wait("ready")), "To Not in your book of payees 0x 90F7")
		if got := b.Eval("document.querySelector('.payee')?.textContent"); got != "undefined" {
			t.Errorf("%s: the address is called %q", name, got)
		}
	}
}

// A long address is compared on the smallest phone as well.
func TestSigning_A10_PageComparesOnAPhone(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	b.Do(chromedp.EmulateViewport(320, 640))
	fits := func(what string) {
		b.Go(h.link())
		b.Wait("ready")
		beyond := "[...document.querySelectorAll('.spacious')].filter((c) => " +
			"c.scrollWidth > c.clientWidth || c.lastChild.scrollWidth > c.lastChild.clientWidth).length"
		if got := b.Eval(beyond); got != "0" {
			t.Errorf("%s: %s addresses are wider than their boxes", what, got)
		}
	}
	h.paying(passkey, alike, []wire.Counterparty{looksLikeHers})
	fits("a look-alike")
	body := newBody(wire.AddPayee, wire.AddPayeeParams{
		Name: maria.Name, Chain: maria.Chain, Address: payee, Kind: maria.Kind, BankAccount: maria.BankAccount,
	})
	stamp := h.asks("payee", body, passkey)
	h.set(func() { stamp["preview"] = h.signer.previewOf(body, wire.Preview{Payee: &maria, Chain: "base"}) })
	fits("a new payee")
}

// A look-alike has a box of its own, with both addresses whole and what differs marked. It is told once.
func TestSigning_A10_PageTellsALookAlike(t *testing.T) {
	t.Parallel()
	h, b := newHost(t), newTab(t)
	passkey := b.givePasskey()
	h.paying(passkey, alike, []wire.Counterparty{looksLikeHers}, saysSo, "a warning of a later signer")
	b.Go(h.link())
	text := flat(b.Wait("ready"))
	webtest.Contains(t, text, "This is not María García", "begins and ends like that of María García",
		"Alike are only the first 4 and the last 4 characters", "Not in your book of payees",
		"Read this first A warning of a later signer.")
	if strings.Contains(text, "is another one") {
		t.Error("it is told twice")
	}
	for expression, want := range map[string]string{
		"[...document.querySelectorAll('.stop code')].map((c) => c.textContent)":          alike + "," + payee,
		"[...document.querySelectorAll('.stop mark')].map((c) => c.textContent).join('')": alike[6:38] + payee[6:38],
		"getComputedStyle(document.querySelector('.stop mark')).textDecorationLine":       "underline",
		"document.querySelector('.actions button').className":                             "danger",
	} {
		if got := b.Eval(expression); got != want {
			t.Errorf("%s is %s", expression, got)
		}
	}

	h.paying(passkey, alike, nil, saysSo)
	b.Go(h.link())
	webtest.Contains(t, flat(b.Wait("ready")), "Read this first",
		"is not María García: its address begins and ends like")
}
