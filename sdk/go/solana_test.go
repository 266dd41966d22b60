package railkit_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/tamper"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const (
	solPayee = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6Ns6g"
	solOther = "2q7pyhPwAwZ3QMfZrnAbDhnh9mDUqycszcpf86VgQxhF"
	solMint  = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	solHash  = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
)

// solWorld is a world whose host serves Solana, with the real signer behind it.
type solWorld struct {
	*world
	enclave *client.Client
	own     string // account on Solana

	mu    sync.Mutex
	asked map[string]string // bodies by transaction id
	made  map[string]object // signed transactions by id, with their status
	terms wire.Volatile
}

func newSolWorld(t *testing.T, change ...func(*railkit.Config)) *solWorld {
	t.Helper()
	a := apptest.Shared(t)
	w := &solWorld{
		enclave: client.New(a.EnclaveSock, a.EnclaveKey), asked: map[string]string{}, made: map[string]object{},
		terms: wire.Volatile{
			Blockhash: solHash, Version: "v1", Units: "50000", LoadedBytes: "200000", Priority: "1000", Rent: "2039280",
			LastHeight: "500",
		},
	}
	t.Cleanup(func() { _ = w.enclave.Close() })
	w.world = &world{
		App: a, change: change, pk: railkit.FromAuthenticator(passkey.New(a.Origin)),
		host: tamper.New(t, w.serve(a.Handler)),
	}
	w.client = w.newClient(t, change...)
	wallet, form := w.wallet(t).WalletID, solana.Family{}.Form()
	st := w.submits(t, w.body(wire.CreateWalletAccounts, wire.CreateWalletAccountsParams{
		WalletID: wallet, Accounts: []wire.AccountParams{{
			Curve: form.Curve, PathFormat: form.PathFormat, Path: form.PathOf(0), AddressFormat: form.AddressFormat,
		}},
	}))
	w.own = st.Result.Accounts[0].Address
	return w
}

func (w *solWorld) body(kind wire.ActivityType, params any) string {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	millis := func(t time.Time) string { return fmt.Sprint(t.UnixMilli()) }
	now := time.Now()
	body, err := json.Marshal(wire.Body{
		Type: kind, Environment: "sandbox", OrganizationID: w.reg.SubOrganizationID, ActivityID: uuid.NewString(),
		TimestampMs: millis(now), ExpiresAtMs: millis(now.Add(10 * time.Minute)), Parameters: raw,
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

// submits has the owner stamp a body and the signer do it.
func (w *solWorld) submits(t *testing.T, body string) wire.Statement {
	t.Helper()
	stamp, err := w.pk.Stamp(body, w.reg.Owners.Credentials[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	o, err := w.enclave.Submit(t.Context(), wire.SubmitRequest{Body: body, Stamp: &stamp}, wire.Fingerprint(body))
	if err != nil {
		t.Fatal(err)
	}
	return o.Statement
}

// serve answers what is about Solana as the server does it for other networks.
func (w *solWorld) serve(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	answer := func(pattern string, do func(*http.Request, object) (object, error)) {
		mux.HandleFunc(pattern, func(to http.ResponseWriter, r *http.Request) {
			raw, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(raw)))
			asked := object{}
			_ = json.Unmarshal(raw, &asked)
			data, err := do(r, asked)
			if data == nil && err == nil {
				next.ServeHTTP(to, r)
				return
			}
			body, _ := json.Marshal(object{"success": true, "data": data})
			if err != nil {
				refused := object{"error": "refused", "message": err.Error()}
				if f, ok := fault.As(err); ok {
					refused["error"] = f.Code
				}
				body, _ = json.Marshal(refused)
				to.WriteHeader(http.StatusConflict)
			}
			_, _ = to.Write(body)
		})
	}
	answer("POST /v1/transactions/prepare", w.prepares)
	answer("POST /v1/transactions/sign", w.prepares)
	answer("POST /v1/transactions/confirm", w.confirms)
	answer("GET /v1/transactions/sign/{id}", w.tells)
	answer("GET /v1/transactions/broadcast/{id}", func(r *http.Request, _ object) (object, error) {
		t, err := w.tells(r, nil)
		if t == nil {
			return nil, err
		}
		b := object{"transactionId": t["transactionId"], "txHash": t["txHash"], "status": t["status"]}
		if t["status"] != "pending" {
			b["blockNumber"] = 7
		}
		return b, nil
	})
	return mux
}

func (w *solWorld) tells(r *http.Request, _ object) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[r.PathValue("id")], nil
}

// prepares writes the body of what is asked for. A token's receiver gets an account.
func (w *solWorld) prepares(r *http.Request, asked object) (object, error) {
	text := func(name string) string { s, _ := asked[name].(string); return s }
	if text("signWith") != w.own || w.own == "" {
		return nil, nil
	}
	body := ""
	if text("unsignedTransaction") != "" {
		body = w.body(wire.SignTransaction, wire.SignTransactionParams{
			SignWith: w.own, Type: railkit.TypeSolana, UnsignedTransaction: text("unsignedTransaction"),
		})
	} else {
		p, err := w.intent(text("type"), text("to"), text("amount"))
		if err != nil {
			return nil, err
		}
		body = w.body(wire.SignIntent, p)
	}
	proof, _, err := w.enclave.Preview(r.Context(), body)
	if err != nil {
		return nil, err
	}
	id := uuid.NewString()
	w.mu.Lock()
	w.asked[id] = body
	w.mu.Unlock()
	return object{
		"transactionId": id, "from": w.own, "network": "solana", "status": "awaiting_signature", "custody": "enclave",
		"fingerprint": wire.Fingerprint(body), "challenge": wire.Digest(body), "preview": proof,
		"unsignedActivity": object{"body": body, "organizationId": w.reg.SubOrganizationID},
	}, nil
}

func (w *solWorld) intent(kind, to, amount string) (wire.SignIntentParams, error) {
	p := wire.SignIntentParams{
		SignWith: w.own, Chain: "solana", ChainID: "devnet", To: to, GasLimit: "60000", MaxTotalFee: "10000",
	}
	t := chain.Token{Decimals: 9}
	if kind == string(railkit.TransferToken) {
		t, p.MaxRent = chain.Token{Address: solMint, Decimals: 6}, "2100000"
	}
	units, err := chain.ParseUnits(amount, t.Decimals)
	if err != nil {
		return p, err
	}
	call, err := solana.Family{}.Transfer(t, to, units)
	p.Value, p.Data = new(big.Int).String(), chain.Hex(call.Data)
	if call.Value != nil {
		p.Value = call.Value.String()
	}
	return p, err
}

func (w *solWorld) confirms(r *http.Request, asked object) (object, error) {
	id, _ := asked["transactionId"].(string)
	w.mu.Lock()
	body, terms := w.asked[id], w.terms
	w.mu.Unlock()
	if body == "" {
		return nil, nil
	}
	var signed struct{ SignedActivity railkit.SignedActivity }
	raw, _ := json.Marshal(asked)
	if err := json.Unmarshal(raw, &signed); err != nil {
		return nil, err
	}
	o, err := w.enclave.Submit(r.Context(), wire.SubmitRequest{
		Body: body, Stamp: &signed.SignedActivity.Stamp, Volatile: &terms,
	}, wire.Fingerprint(body))
	if err != nil {
		return nil, err
	}
	made := o.Statement.Result.Transaction
	t := object{
		"transactionId": id, "type": "transfer_native", "status": "broadcast", "custody": "enclave", "from": w.own,
		"network": "solana", "txHash": made.TxHash, "signedTransaction": made.SignedTransaction, "proof": o.Proof,
	}
	w.mu.Lock()
	w.made[id] = t
	w.mu.Unlock()
	return t, nil
}

func (w *solWorld) becomes(id, status string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made[id]["status"] = status
}

func (w *solWorld) pays(amount string) railkit.PrepareTransactionRequest {
	return railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, SignWith: w.own, Network: "solana", To: solPayee, Amount: amount,
		TokenAddress: solMint,
	}
}

// hash is another blockhash for each payment.
func (w *solWorld) hash(n byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.terms.Blockhash = solana.Address{n, 1}.String()
}

func (w *solWorld) exact(t *testing.T, payer string, all ...solana.Instruction) string {
	t.Helper()
	m, err := solana.Compile(solana.V0, sol(payer), sol(solHash), solana.Config{}, all)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		t.Fatal(err)
	}
	return chain.Hex(raw)
}

func sol(text string) solana.Address {
	a, err := solana.ParseAddress(text)
	if err != nil {
		panic(err)
	}
	return a
}

// A payment is checked before it is stamped, and its bytes after: in both versions, with an account and without one.
// The same payment is refused until the first one is confirmed or expired, also by another process with the same store.
func TestSolana_Pays(t *testing.T) {
	w := newSolWorld(t)
	ctx := t.Context()
	sent, err := w.client.Transactions.Send(ctx, w.pk, w.pays("1"))
	if err != nil || sent.TxHash == "" || strings.HasPrefix(sent.TxHash, "0x") {
		t.Fatalf("%+v, %v", sent, err)
	}
	for n, tc := range []struct{ version, rent, amount string }{
		{"v0", "2039280", "2"}, {"v1", "", "3"}, {"v0", "", "4"},
	} {
		w.hash(byte(n))
		w.terms.Version, w.terms.Rent = tc.version, tc.rent
		if _, err := w.client.Transactions.Send(ctx, w.pk, w.pays(tc.amount)); err != nil {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	coin := railkit.PrepareTransactionRequest{
		Type: railkit.TransferNative, SignWith: w.own, Network: "solana", To: solPayee, Amount: "0.5",
	}
	if _, err := w.client.Transactions.Send(ctx, w.pk, coin); err != nil {
		t.Errorf("SOL: %v", err)
	}
	w.hash(9)
	for _, status := range []string{"pending", "broadcast", "cancelled", "confirmed"} {
		w.becomes(sent.TransactionID, status)
		_, err := w.client.Transactions.Prepare(ctx, w.pays("1.00"))
		var unmined *railkit.UnminedPaymentError
		refused := status != "confirmed"
		if errors.As(err, &unmined) != refused || refused && unmined.TransactionID != sent.TransactionID {
			t.Errorf("the same payment while the first is %s: %v", status, err)
		}
	}
	again := w.pays("2")
	again.PayAgain = true
	if _, err := w.client.Transactions.Prepare(ctx, again); err != nil {
		t.Errorf("again: %v", err)
	}
	w.refusesBefore(t, sent)
}

// refusesBefore is what is never asked.
func (w *solWorld) refusesBefore(t *testing.T, sent *railkit.Transaction) {
	t.Helper()
	if _, err := w.client.Transactions.Void(t.Context(), w.pk, sent); !errors.Is(err, railkit.ErrNoReplacement) {
		t.Errorf("void: %v", err)
	}
	if _, err := w.client.Transactions.SpeedUp(t.Context(), w.pk, sent); !errors.Is(err, railkit.ErrNoReplacement) {
		t.Errorf("speed up: %v", err)
	}
	for name, change := range map[string]func(*railkit.PrepareTransactionRequest){
		"a call":                   func(r *railkit.PrepareTransactionRequest) { r.Type = railkit.Call },
		"fee and rent above limit": func(r *railkit.PrepareTransactionRequest) { r.FeeLimit = "2109999" },
		"an address of EVM":        func(r *railkit.PrepareTransactionRequest) { r.To = receiver },
		"a mint as payee":          func(r *railkit.PrepareTransactionRequest) { r.To = solMint },
	} {
		req := w.pays("5")
		change(&req)
		if _, err := w.client.Transactions.Prepare(t.Context(), req); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Two processes of one caller share what they have paid.
func TestSolana_PaymentStore(t *testing.T) {
	store := &sharedStore{noted: map[string][]string{}}
	w := newSolWorld(t, func(c *railkit.Config) { c.Payments = store })
	sent, err := w.client.Transactions.Send(t.Context(), w.pk, w.pays("1"))
	if err != nil {
		t.Fatal(err)
	}
	other := w.newClient(t, w.change...)
	other.SubOrganizations.TrustOwners(w.reg.SubOrganizationID, w.reg.Owners)
	var unmined *railkit.UnminedPaymentError
	if _, err := other.Transactions.Prepare(t.Context(), w.pays("1")); !errors.As(err, &unmined) {
		t.Errorf("another process pays the same: %v", err)
	}
	w.becomes(sent.TransactionID, "expired")
	if _, err := other.Transactions.Prepare(t.Context(), w.pays("1")); err != nil || len(store.noted) != 0 {
		t.Errorf("once it is expired: %v, %v", err, store.noted)
	}
	store.err = errors.New("down")
	if _, err := other.Transactions.Prepare(t.Context(), w.pays("1")); !errors.Is(err, store.err) {
		t.Errorf("without its store: %v", err)
	}
}

type sharedStore struct {
	noted map[string][]string
	err   error
}

func (s *sharedStore) Pay(_ context.Context, payment, id string, _ bool) ([]string, error) {
	s.noted[payment] = append(s.noted[payment], id)
	return nil, s.err
}

func (s *sharedStore) Others(_ context.Context, payment, _ string) ([]string, error) {
	return s.noted[payment], s.err
}

func (s *sharedStore) Forget(_ context.Context, payment, _ string) error {
	delete(s.noted, payment)
	return s.err
}

// Exact bytes are read here too.
func TestSolana_Exact(t *testing.T) {
	w := newSolWorld(t)
	own, payee, other := sol(w.own), sol(solPayee), sol(solOther)
	advance := solana.Instruction{Program: solana.SystemProgram, Accounts: []solana.Account{
		{Address: other, Written: true}, {Address: payee}, {Address: own, Signs: true},
	}, Data: []byte{4, 0, 0, 0}}
	coin := solana.TransferCoin(own, payee, 5)
	for name, tc := range map[string]struct{ raw, effect, warning string }{
		"a transfer":   {w.exact(t, w.own, coin), "transfer", ""},
		"another pays": {w.exact(t, solOther, coin), "transfer", "others have to sign it too: " + solOther},
		"a durable nonce": {w.exact(t, w.own, advance, coin), "unknown_call",
			"until nonce account " + solOther + " advances"},
	} {
		req := railkit.SignTransactionRequest{
			SignWith: w.own, Network: "solana", Type: railkit.TypeSolana, UnsignedTransaction: tc.raw,
		}
		p, err := w.client.Transactions.PrepareSigning(t.Context(), req)
		if err != nil || string(p.Shown.Effects[0].Kind) != tc.effect ||
			!strings.Contains(strings.Join(p.Shown.Warnings, "\n"), tc.warning) {
			t.Errorf("%s: %+v, %v", name, p, err)
			continue
		}
		signed, err := p.Stamp(w.pk)
		if err != nil {
			t.Fatal(err)
		}
		sent, err := w.client.Transactions.Confirm(t.Context(), railkit.ConfirmTransactionRequest{
			TransactionID: p.TransactionID, SignedActivity: signed,
		})
		if err != nil || (sent.TxHash == "") != (name == "another pays") {
			t.Errorf("%s: %+v, %v", name, sent, err)
		}
		if _, err := w.client.Transactions.PrepareSigning(t.Context(), req); !errors.Is(err, railkit.ErrAlreadySigned) {
			t.Errorf("%s, a second time: %v", name, err)
		}
	}
}
