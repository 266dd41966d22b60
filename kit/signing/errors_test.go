package signing_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/platform/auth"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Every error of the edge and of authentication, through the whole server.
func TestSigning_ErrorsOfTheEdge(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	key := a.Keys.BenchKey
	const challenge = "/v1/signing/passkeys/challenge"
	email := `{"email":"a@example.com"}`
	_, reader := a.NewWorkspace([]auth.Scope{auth.IntegratorRead}, auth.Signing)
	_, bare := a.NewWorkspace([]auth.Scope{auth.Integrator})
	unknown, err := auth.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got    apptest.Answer
		status int
		code   string
	}{
		"no key": {a.Do("", "GET", "/v1/signing/wallets", ""), 401, "authorization_missing"},
		"malformed": {
			a.Do("", "GET", "/v1/signing/wallets", "", "Authorization", "ApiKey"), 401, "authorization_malformed",
		},
		"another scheme": {
			a.Do("", "GET", "/v1/signing/wallets", "", "Authorization", "Basic x"), 401, "authorization_scheme",
		},
		"unknown key":       {a.Do(unknown, "GET", "/v1/signing/wallets", ""), 404, "api_key_not_found"},
		"read-only key":     {a.Do(reader, "POST", challenge, email), 403, "insufficient_scope"},
		"no signing module": {a.Do(bare, "GET", "/v1/signing/wallets", ""), 403, "module_inactive"},
		"no such route":     {a.Do(key, "GET", "/v1/exchange/quotes", ""), 404, "route_not_found"},
		"no such method":    {a.Do(key, "PUT", "/v1/signing/wallets", ""), 405, "method_not_allowed"},
		"too large": {
			a.Do(key, "POST", challenge, `{"email":"`+strings.Repeat("a", 1<<20)+`"}`), 413, "body_too_large",
		},
		"not JSON": {
			a.Do(key, "POST", challenge, "x", "Content-Type", "text/plain"), 415, "unsupported_media_type",
		},
		"missing field": {a.Do(key, "POST", challenge, `{}`), 400, "validation_failed"},
		"unknown field": {a.Do(key, "POST", challenge, `{"email":"a@example.com","admin":true}`), 400, "validation_failed"},
		"odd idempotency": {
			a.Do(key, "POST", challenge, email, "Idempotency-Key", "1"), 400, "idempotency_key_malformed",
		},
		"operator's key":     {a.Do(a.Keys.AdminKey, "GET", "/v1/signing/wallets", ""), 400, "validation_failed"},
		"unreached entry":    {a.Do(key, "GET", "/v1/signing/journal?seqs=1,999999999", ""), 409, "journal_shorter"},
		"entry of no number": {a.Do(key, "GET", "/v1/signing/journal?seqs=1,x", ""), 400, "validation_failed"},
		"too many entries": {
			a.Do(key, "GET", "/v1/signing/journal?seqs=1"+strings.Repeat(",1", 64), ""), 400, "validation_failed",
		},
		"no passkey yet": {
			a.Do(key, "POST", "/v1/signing/wallets/prepare", `{"walletName":"w"}`), 422, "passkey_required",
		},
		"unknown challenge": {
			a.Do(key, "POST", "/v1/signing/passkeys/register", registration()), 422, "challenge_invalid",
		},
		"token as a native": {a.Do(
			key, "POST", "/v1/sandbox/faucet", `{"chain":"base","address":"`+receiver+`","asset":"DOGE","amount":"1"}`,
		), 400, "validation_failed"},
		"faucet to nobody": {a.Do(key, "POST", "/v1/sandbox/faucet", `{"chain":"base","address":"0x0000000000000000000000000000000000000000","asset":"USDC","amount":"1"}`), 400, "validation_failed"},
		"unknown faucet net": {a.Do(
			key, "POST", "/v1/sandbox/faucet",
			`{"chain":"moon","address":"`+receiver+`","asset":"native","amount":"1"}`,
		), 400, "validation_failed"},
	} {
		t.Run(name, func(t *testing.T) { wantError(t, c.got, c.status, c.code) })
	}
	own := a.Do(a.Keys.AdminKey, "GET", "/v1/signing/wallets?integratorId="+a.Keys.WorkspaceID, "")
	if own.Status != 200 {
		t.Errorf("the operator's key with a workspace: %d %s", own.Status, own.Body)
	}
}

func registration() string {
	return `{"email":"a@example.com","name":"A","encodedChallenge":"` + strings.Repeat("A", 43) +
		`","attestation":{"credentialId":"AA","clientDataJson":"AA","attestationObject":"AA"}}`
}

func TestSigning_ErrorsOfTheKit(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	key := a.Keys.BenchKey
	prepare := func(body any) apptest.Answer {
		return a.Do(key, "POST", "/v1/transactions/prepare", apptest.JSON(t, body))
	}
	named := map[string]string{"walletName": alice.Wallet.WalletName, "subOrganizationId": alice.Sub.SubOrganizationID}
	taken := map[string]string{"walletId": alice.Wallet.WalletID, "chain": "base", "path": "m/44'/60'/0'/0/0"}
	pay := func(change func(m map[string]any)) map[string]any {
		m := map[string]any{
			"type": "transfer_token", "signWith": alice.Address.Address, "chainId": 84532, "to": receiver,
			"amount": "1", "tokenAddress": apptest.USDC().Address,
		}
		change(m)
		return m
	}
	for name, got := range map[string]apptest.Answer{
		"to":           prepare(pay(func(m map[string]any) { m["to"] = "0x1234" })),
		"to (EIP-55)":  prepare(pay(func(m map[string]any) { m["to"] = strings.Replace(receiver, "C8", "c8", 1) })),
		"amount":       prepare(pay(func(m map[string]any) { m["amount"] = "1.0000001" })),
		"amount zero":  prepare(pay(func(m map[string]any) { m["amount"] = "0" })),
		"amount sign":  prepare(pay(func(m map[string]any) { m["amount"] = "-1" })),
		"amount exp":   prepare(pay(func(m map[string]any) { m["amount"] = "1e3" })),
		"amount none":  prepare(pay(func(m map[string]any) { delete(m, "amount") })),
		"token":        prepare(pay(func(m map[string]any) { m["tokenAddress"] = receiver })),
		"chain":        prepare(pay(func(m map[string]any) { m["chainId"] = 1 })),
		"chain none":   prepare(pay(func(m map[string]any) { delete(m, "chainId") })),
		"chains":       prepare(pay(func(m map[string]any) { m["network"] = "polygon" })),
		"type":         prepare(pay(func(m map[string]any) { m["type"] = "swap" })),
		"two dialects": prepare(pay(func(m map[string]any) { m["from"] = alice.Address.Address })),
		"exact bytes": prepare(map[string]any{
			"type": "sign", "signWith": alice.Address.Address, "unsignedTransaction": "0x02c0",
		}),
		"status": a.Do(key, "GET", "/v1/transactions/sign?status=lost", ""),
		"page":   a.Do(key, "GET", "/v1/signing/wallets?page=0", ""),
		"cursor": a.Do(key, "GET", "/v1/transactions/sign?cursor=x", ""),
	} {
		t.Run(name, func(t *testing.T) { wantError(t, got, 400, "validation_failed") })
	}
	a.Register(c, "bob@example.com")
	wantError(t, a.Do(key, "POST", "/v1/signing/wallets/prepare", apptest.JSON(t, named)), 422, "wallet_exists")
	wantError(t, a.Do(key, "POST", "/v1/signing/wallets/accounts/prepare", apptest.JSON(t, taken)), 409, "path_taken")
	wantError(
		t, a.Do(key, "POST", "/v1/signing/wallets/prepare", `{"walletName":"whose"}`), 400, "sub_organization_required",
	)
	ch, err := c.SubOrganizations.Challenge(ctx, "bob@example.com")
	if err != nil {
		t.Fatal(err)
	}
	again := a.RegisterBody(ch, "bob@example.com")
	wantError(t, a.Do(key, "POST", "/v1/signing/passkeys/register", again), 409, "email_registered")

	id, _ := prepared(t, c, alice, "1")
	wantError(t, a.Do(key, "POST", "/v1/transactions/broadcast/"+id, ""), 409, "not_signed")
	wantError(t, a.Do(key, "GET", "/v1/signing/wallets/"+uuid.NewString(), ""), 404, "not_found")
}

// Two callers of one key: the second waits five seconds for the first, no longer.
func TestSigning_ErrorsOfWaiting(t *testing.T) {
	t.Parallel()
	var node *apptest.Node
	a := apptest.Rig(t, func(c *apptest.Config) {
		node = apptest.NewNode(t, c.RPCURLs["base"])
		c.RPCURLs["base"] = node.URL
		c.DevnetURL = node.URL // its faucet answers when the test lets it
	})
	release := make(chan struct{})
	node.Break("*", apptest.Waits(release))
	key := uuid.NewString()
	body := `{"chain":"base","address":"` + receiver + `","asset":"native","amount":"1"}`
	first := make(chan apptest.Answer, 1)
	go func() {
		first <- a.Do(a.Keys.BenchKey, "POST", "/v1/sandbox/faucet", body, "Idempotency-Key", key)
	}()
	apptest.Eventually(t, "the first caller is at the faucet", func() bool { return node.Calls("dev_faucet") > 0 })
	second := a.Do(a.Keys.BenchKey, "POST", "/v1/sandbox/faucet", body, "Idempotency-Key", key)
	wantError(t, second, 409, "idempotency_key_in_flight")
	if second.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	close(release)
	wantError(t, <-first, 502, "node_unreachable")
}

func TestSigning_H08_StockLimits(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	post := func() apptest.Answer {
		return a.Do(a.Keys.APIKey, "POST", "/v1/signing/passkeys/challenge", `{"email":"a@example.com"}`)
	}
	for i := range 20 {
		if got := post(); got.Status != 201 {
			t.Fatalf("call %d: %d %s", i, got.Status, got.Body)
		}
	}
	limited := post()
	wantError(t, limited, 429, "rate_limit_exceeded")
	if limited.Header.Get("Retry-After") == "" ||
		limited.Header.Get("RateLimit") == "" || limited.Header.Get("RateLimit-Policy") == "" {
		t.Errorf("headers = %v", limited.Header)
	}
	if got := a.Do(a.Keys.APIKey, "GET", "/v1/signing/wallets", ""); got.Status != 200 {
		t.Errorf("a read is of another class: %d", got.Status)
	}
}

// The parts behind the server fail: the caller learns that, and no more.
func TestSigning_ErrorsOfOutages(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t, apptest.WithoutSweeper())
	challenge := func() apptest.Answer {
		return a.Do(a.Keys.BenchKey, "POST", "/v1/signing/passkeys/challenge", `{"email":"a@example.com"}`)
	}
	a.StopEnclave()
	wantError(t, challenge(), 503, "unavailable")
	edit(t, a, "DROP TABLE passkeys")
	got := a.Do(a.Keys.BenchKey, "GET", "/v1/signing/passkeys", "")
	wantError(t, got, 500, "internal")
	if strings.Contains(got.Body, "passkeys") && strings.Contains(got.Body, "table") {
		t.Errorf("the answer tells what happened inside: %s", got.Body)
	}
	inside := "no such table"
	if a.OnPostgres() {
		inside = "42P01"
	}
	if !strings.Contains(a.Log.String(), inside) {
		t.Error("the log does not tell what happened inside")
	}
}

// What no log may hold: keys, stamps, the whole of a body.
func TestSigning_K06_LogsHoldNoSecrets(t *testing.T) {
	t.Parallel()
	a := apptest.Rig(t)
	c := a.Client()
	alice := a.Fund(c, "alice@example.com")
	id, signed := prepared(t, c, alice, "1")
	if got := a.Do(a.Keys.BenchKey, "POST", "/v1/transactions/confirm", confirmBody(t, id, signed)); got.Status != 200 {
		t.Fatal(got.Body)
	}
	confirmed(t, a, c, id)
	log := a.Log.String()
	for name, secret := range map[string]string{
		"key": a.Keys.BenchKey, "admin key": a.Keys.AdminKey, "stamp": signed.Stamp.HeaderValue, "body": signed.Body,
		"e-mail": "alice@example.com",
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds the %s", name)
		}
	}
	if !strings.Contains(log, `"operation":"confirmTransaction"`) {
		t.Error("the log has no line for the request")
	}
}

// Nobody can mint a wrapped coin. The field is named, and what to ask for instead.
func TestWidget_FaucetHasNoWrappedCoins(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	for chain, symbol := range map[string]string{"base": "WETH", "avalanche_c_chain": "WAVAX"} {
		got := a.Do(a.Keys.BenchKey, "POST", "/v1/sandbox/faucet", apptest.JSON(t, map[string]string{
			"chain": chain, "address": receiver, "asset": symbol, "amount": "1",
		}))
		wantError(t, got, 400, "validation_failed")
		const want = "asset must not be a wrapped coin, which nobody can mint: ask for native"
		if !strings.Contains(got.Body, want) {
			t.Errorf("%s: %s", symbol, got.Body)
		}
	}
}

// A transfer that a contract, nobody or the sender would get for nothing needs allowContract, which is no part of what
// is stamped; the preview warns all the same. What a contract's own call takes needs none.
func TestSigning_E21_PrepareRefusesWhatWouldBeStranded(t *testing.T) {
	t.Parallel()
	a := apptest.Shared(t)
	alice := a.Fund(a.Client(), "stranded@example.com")
	key, own, usdc := a.Keys.BenchKey, alice.Address.Address, apptest.USDC().Address
	base, _ := chain.BySlug(chain.Sandbox, "base")
	weth, router := base.Tokens[1].Address, chain.Markets(base)[0].Router
	prepare := func(change map[string]any) apptest.Answer {
		body := map[string]any{"signWith": own, "chainId": 84532}
		maps.Copy(body, change)
		return a.Do(key, "POST", "/v1/transactions/prepare", apptest.JSON(t, body))
	}
	token := func(to string) map[string]any {
		return map[string]any{"type": "transfer_token", "amount": "1", "tokenAddress": usdc, "to": to}
	}
	call := func(to, value, data string) map[string]any {
		return map[string]any{"type": "call", "to": to, "value": value, "data": data}
	}
	const pays, allows = "0xa9059cbb000000000000000000000000", "0x095ea7b3000000000000000000000000"
	one := strings.Repeat("0", 63) + "1"
	for what, asked := range map[string]map[string]any{
		"the contract of the token USDC": token(usdc),
		"the contract of the token WETH": token(weth),
		"the router of uniswap":          token(router),
		"Permit2":                        token("0x000000000022D473030F116dDEE9F6B43aC78BA3"),
		"Multicall3":                     token("0xcA11bde05977b3631167028862bE2a173976CA11"),
		"a contract of the network":      token("0x0000000000000000000000000000000000000001"),
		"the sender":                     token(own),
		"the contract of the token":      {"type": "transfer_native", "amount": "0.001", "to": weth},
		"the zero address":               call(usdc, "0", pays+strings.Repeat("0", 40)+one),
		"a burn address":                 call(usdc, "0", pays+strings.Repeat("0", 36)+"dead"+one),
	} {
		got := prepare(asked)
		wantError(t, got, 422, "known_contract")
		if !strings.Contains(got.Body, " is "+what) {
			t.Errorf("%s: %s", what, got.Body)
		}
		if what == "the zero address" { // the token itself refuses it
			continue
		}
		asked["allowContract"] = true
		meant := prepare(asked)
		var p railkit.PreparedTransaction
		if meant.Status != 200 || meant.Into(&p) != nil {
			t.Errorf("%s, allowed: %d %s", what, meant.Status, meant.Body)
			continue
		}
		if !strings.Contains(p.Preview.Payload, " is "+what) || strings.Contains(p.UnsignedActivity.Body, "allow") {
			t.Errorf("%s, allowed: %s, to stamp: %s", what, p.Preview.Payload, p.UnsignedActivity.Body)
		}
	}
	for what, asked := range map[string]map[string]any{
		"somebody": token(receiver), "coin to be wrapped": call(weth, "1000", "0xd0e30db0"),
		"nothing to oneself": call(own, "0", "0x"),
		"an allowance":       call(usdc, "0", allows+router[2:]+one),
	} {
		if got := prepare(asked); got.Status != 200 || strings.Contains(got.Body, "plain transfer") {
			t.Errorf("%s: %d %s", what, got.Status, got.Body)
		}
	}
	payee := func(kind string) apptest.Answer {
		return a.Do(key, "POST", "/v1/signing/payees?prepare=true", apptest.JSON(t, map[string]any{
			"subOrganizationId": alice.Sub.SubOrganizationID, "name": "Exchange", "network": "base", "address": router,
			"kind": kind,
		}))
	}
	if got := payee("contract"); got.Status != 200 {
		t.Errorf("a payee: %d %s", got.Status, got.Body)
	}
	wantError(t, payee("wallet"), 400, "validation_failed")
}
