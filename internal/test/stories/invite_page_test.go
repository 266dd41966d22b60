package stories_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/webtest"
	railkit "github.com/railkit/railkit/sdk/go"
)

// stage is a server with its partner, and a recipient who was sent a link.
type stage struct {
	*apptest.App
	c    *railkit.Client
	to   *railkit.Recipient
	link string
	down atomic.Bool  // what lies between page and server
	late atomic.Int64 // by how much the server's clock is ahead
}

func newStage(t *testing.T, name string) (*stage, *webtest.Tab) {
	t.Helper()
	if testing.Short() {
		t.Skip("the race detector sees nothing of a browser")
	}
	s := &stage{}
	front := httptest.NewServer(http.HandlerFunc(s.forward))
	t.Cleanup(front.Close)
	s.App = apptest.Rig(t, apptest.WithPartner(t),
		apptest.WithClock(clock.Func(func() time.Time { return time.Now().UTC().Add(time.Duration(s.late.Load())) })),
		func(c *apptest.Config) { c.InviteOrigin = front.URL })
	s.c = s.Client()
	var err error
	s.to, err = s.c.Recipients.Create(t.Context(), railkit.RecipientRequest{
		Name: name, OwnerType: "individual",
		Address: railkit.PostalAddress{Street: "Av. Reforma 1", City: "CDMX", PostalCode: "06600", Country: "MX"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.invite(t)
	b := webtest.Open(t)
	b.Do(chromedp.EmulateViewport(360, 740))
	return s, b
}

// forward is the operator's own proxy.
func (s *stage) forward(w http.ResponseWriter, r *http.Request) {
	if s.down.Load() && strings.HasPrefix(r.URL.Path, "/v1/") {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	to, _ := url.Parse(s.BaseURL) // it is httptest's own
	httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
}

func (s *stage) invite(t *testing.T) {
	t.Helper()
	made, err := s.c.Invites.Create(t.Context(), s.to.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.link = made.InviteURL
}

func (s *stage) accounts(t *testing.T) []railkit.BankAccount {
	t.Helper()
	page, err := s.c.BankAccounts.List(t.Context(), s.to.ID, railkit.BankAccountListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// fill types into a field, in the place of what is there.
func fill(b *webtest.Tab, field, text string) {
	b.T.Helper()
	b.Eval("document.getElementById('" + field + "').value = ''")
	b.Do(chromedp.SendKeys(chromedp.CSS("#"+field), text))
}

func press(b *webtest.Tab) {
	b.T.Helper()
	b.Do(chromedp.Click(chromedp.CSS(".actions button:enabled")))
}

// The recipient opens the link, mistypes the CLABE, mends it, and is set up. The
// link is gone from the address bar, and does not work again.
func TestPayout_InvitePageStory(t *testing.T) {
	t.Parallel()
	s, b := newStage(t, "Ana García")
	b.Go(s.link)
	webtest.Contains(t, b.Wait("ready"), "Where should your money go?", "Sandbox wants to pay Ana García",
		"CLABE", "Send the account")
	if got := b.Eval("location.href + history.length"); strings.Contains(got, "#") {
		t.Errorf("the token is still in the address bar: %s", got)
	}
	b.Picture("ready")
	press(b)
	webtest.Contains(t, b.Text(), "CLABE is needed")
	fill(b, "clabe", "032 180 0001 1835 9718")
	b.Do(chromedp.KeyEvent(kb.Tab))
	webtest.Contains(t, b.Text(), "The last digit does not fit")
	press(b)
	b.Do(chromedp.WaitVisible(chromedp.CSS("#clabe[aria-invalid]")))
	webtest.Contains(t, b.Wait("ready"), "Must be a CLABE; its check digit is wrong.")
	if got := b.Eval(
		"document.activeElement.id + ' ' + document.activeElement.getAttribute('aria-describedby')",
	); got != "clabe clabe-hint clabe-wrong" {
		t.Errorf("the focus is on %s", got)
	}
	b.Picture("wrong")
	fill(b, "clabe", "032 180 0001 1835 9719")
	press(b)
	webtest.Contains(t, b.Wait("done"), "Your account is set up", "ending in 9719")
	b.Picture("done")
	if got := s.accounts(t); len(got) != 1 || got[0].Currency != "mxn" || got[0].LastFour != "9719" {
		t.Errorf("%+v", got)
	}
	b.Go(s.link)
	webtest.Contains(t, b.Wait("used"), "This link was used")
	s.invite(t)
	b.Go(s.link + "x")
	webtest.Contains(t, b.Wait("unknown"), "This link does not work")
}

// The server goes away twice: nothing that was typed is lost, and one account is
// made. The bank takes its time, and the page says so, until it has decided.
func TestPayout_InvitePageWaits(t *testing.T) {
	t.Parallel()
	s, b := newStage(t, "Pending Paz")
	s.down.Store(true)
	b.Go(s.link)
	webtest.Contains(t, b.Wait("error"), "That did not work", "does not answer just now")
	s.down.Store(false)
	press(b)
	b.Wait("ready")
	fill(b, "clabe", "032180000118359719")
	s.down.Store(true)
	press(b)
	webtest.Contains(t, b.Wait("error"), "Nothing is lost")
	b.Picture("error")
	s.down.Store(false)
	press(b)
	webtest.Contains(t, b.Wait("pending"), "Waiting for the bank", "nothing more for you to do", "ending in 9719")
	b.Picture("pending")
	if err := s.Partner.Advance(t.Context(), 25*time.Hour); err != nil {
		t.Fatal(err)
	}
	webtest.Contains(t, b.Wait("done"), "Your account is set up")
	if got := s.accounts(t); len(got) != 1 || got[0].Status != "active" {
		t.Errorf("%+v", got)
	}
}

// Links that stopped working say why, as far as a stranger may know.
func TestPayout_InvitePageEnds(t *testing.T) {
	t.Parallel()
	s, b := newStage(t, "Ana García")
	old := s.link
	s.invite(t)
	b.Go(old)
	webtest.Contains(t, b.Wait("over"), "This link does not work any more", "There may be a newer one")
	s.late.Store(int64(7*24*time.Hour + time.Minute))
	b.Go(s.link)
	webtest.Contains(t, b.Wait("expired"), "This link has expired", "Ask whoever sent it to you for a new one")
	b.Picture("expired")
	b.Go(strings.SplitN(s.link, "#", 2)[0])
	webtest.Contains(t, b.Wait("unknown"), "This link does not work", "It is not complete")
	if got := s.accounts(t); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
