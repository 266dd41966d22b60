package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/node"
)

func TestDialRefuses(t *testing.T) {
	network := baseNetwork(t)
	for _, url := range []string{
		"", "stdio:", "/tmp/geth.ipc", "ws://127.0.0.1:1", "ftp://127.0.0.1", "http://", "http://%zz/secret",
	} {
		_, err := Dial(t.Context(), url, network)
		if !errors.Is(err, ErrURL) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	if _, err := Dial(t.Context(),
		"http://127.0.0.1:1", chain.Network{Kind: chain.Tron}); !errors.Is(err, node.ErrWrongNetwork) {
		t.Errorf("no EVM network: %v", err)
	}
}

func TestChainIDIsCheckedOnceBeforeAnythingElse(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_blockNumber", `"0x10"`)
	for range 2 {
		if head, err := c.Head(t.Context()); err != nil || head != 16 {
			t.Fatal(head, err)
		}
	}
	want := []string{"eth_chainId", "eth_blockNumber", "eth_blockNumber"}
	if got := fake.questions(); !slices.Equal(got, want) {
		t.Errorf("asked %v", got)
	}
}

func TestNodeOfAnotherChainIsAnError(t *testing.T) {
	fake, c := setup(t)
	fake.answer("eth_chainId", `"0x1"`)
	fake.answer("eth_blockNumber", `"0x10"`)
	if _, err := c.Head(t.Context()); !errors.Is(err, node.ErrWrongNetwork) {
		t.Fatal(err)
	}
	if got := fake.questions(); !slices.Equal(got, []string{"eth_chainId"}) {
		t.Errorf("asked %v", got)
	}
	fake.answer("eth_chainId", `"0x14a34"`) // the operator repaired it
	if _, err := c.Head(t.Context()); err != nil {
		t.Error(err)
	}
}

// Behind a URL may stand another node later: the operator changed it, or the
// provider did. The last question before money moves must not rely on the first.
func TestChainIDIsCheckedAgain(t *testing.T) {
	raw, _ := signedTx(t, baseSepolia)
	for name, happens := range map[string]func(*fakeNode, *Client){
		"after an outage": func(fake *fakeNode, c *Client) {
			fake.answer("eth_blockNumber", `"0x"`)
			_, _ = c.Head(t.Context()) // fails, as the test wants
		},
		"after a minute": func(_ *fakeNode, c *Client) { c.checked.Add(-int64(recheck + time.Second)) },
		"after the node knew another chain's id only": func(fake *fakeNode, c *Client) {
			fake.fail("eth_sendRawTransaction", "invalid chain id for signer: have 84532 want 1")
			if err := c.Send(t.Context(), raw); !errors.Is(err, node.ErrWrongNetwork) {
				t.Error(err)
			}
		},
	} {
		fake, c := setup(t)
		if err := c.CheckNetwork(t.Context()); err != nil {
			t.Fatal(err)
		}
		happens(fake, c)
		fake.answer("eth_chainId", `"0x1"`)
		before := len(fake.questions())
		err := c.Send(t.Context(), raw)
		if !errors.Is(err, node.ErrWrongNetwork) || !strings.Contains(err.Error(), "base says chain id 1, not 84532") {
			t.Errorf("%s: %v", name, err)
		}
		if got := fake.questions()[before:]; !slices.Equal(got, []string{"eth_chainId"}) {
			t.Errorf("%s: asked %v", name, got)
		}
	}
}

// What answers may be no node at all, or a provider that has had enough.
func TestAnswersThatAreNone(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"an HTML page with 200": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>secret page</html>")
		},
		"garbage JSON": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":`)
		},
		"another JSON":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"hello":"world"}`) },
		"null":            func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `null`) },
		"a list":          func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[]`) },
		"nothing":         func(http.ResponseWriter, *http.Request) {},
		"a broken answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"429": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			http.Error(w, "secret page", http.StatusTooManyRequests)
		},
		"500": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "secret page", http.StatusInternalServerError)
		},
	} {
		server := httptest.NewServer(answer)
		c := dial(t, server.URL)
		began := time.Now()
		err := c.CheckNetwork(t.Context())
		if !errors.Is(err, ErrTransport) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 10*callTimeout { // far more than it takes, for a busy machine
			t.Errorf("%s: took %v", name, took)
		}
		server.Close()
	}
}

func TestEveryCallEndsInTime(t *testing.T) {
	released := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}))
	defer hanging.Close()
	defer close(released)
	c := dial(t, hanging.URL)
	c.timeout = 20 * time.Millisecond
	if _, err := c.Head(context.Background()); !errors.Is(err, ErrTransport) ||
		!errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestCallerCanGiveUp(t *testing.T) {
	_, c := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Head(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	flood := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":"`)
		chunk := []byte(strings.Repeat("a", 1<<16))
		for range 2 * maxAnswer / len(chunk) {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
		fmt.Fprint(w, `"}`)
	}))
	defer flood.Close()
	c := dial(t, flood.URL)
	c.timeout = time.Minute // reading so much takes a busy machine its time
	err := c.CheckNetwork(t.Context())
	if !errors.Is(err, errAnswerTooLarge) || !errors.Is(err, ErrTransport) {
		t.Error(err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	target := newFakeNode(t)
	sender := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer sender.Close()
	if err := dial(t, sender.URL).CheckNetwork(t.Context()); !errors.Is(err, ErrTransport) {
		t.Error(err)
	}
	if got := target.questions(); len(got) != 0 {
		t.Errorf("followed: %v", got)
	}
}

// A provider's URL holds its key, and its error pages whatever it likes.
func TestErrorsTellNoSecrets(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "upstream-page", http.StatusBadGateway)
	}))
	defer page.Close()
	for _, url := range []string{
		"http://127.0.0.1:1/v2/secret-key", "http://secret-key@127.0.0.1:1", page.URL + "/secret-key",
	} {
		err := dial(t, url).CheckNetwork(t.Context())
		if !errors.Is(err, ErrTransport) || strings.Contains(err.Error(), "secret-key") ||
			strings.Contains(err.Error(), "upstream-page") {
			t.Errorf("%v", err)
		}
	}
}

func TestNodesWordsAreCutShort(t *testing.T) {
	fake, c := setup(t)
	fake.fail("eth_blockNumber", strings.Repeat("x", 100_000))
	if _, err := c.Head(t.Context()); !errors.Is(err, ErrNode) || len(err.Error()) > 500 {
		t.Errorf("%.600v", err)
	}
}

func TestAnswersOfTheWrongShape(t *testing.T) {
	for _, raw := range []string{
		`null`, `""`, `16`, `"16"`, `"0x"`, `"0x010"`, `"-0x1"`, `"0x10000000000000000"`,
		`"0xffffffffffffffff"`, `{}`, `[]`, `"0xzz"`,
	} {
		fake, c := setup(t)
		fake.answer("eth_blockNumber", raw)
		if head, err := c.Head(t.Context()); err == nil {
			t.Errorf("%s was read as %d", raw, head)
		}
	}
}
