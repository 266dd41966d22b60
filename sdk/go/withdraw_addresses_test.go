package railkit_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	railkit "github.com/railkit/railkit/sdk/go"
)

// oneAddress is a server that answers every call with one withdrawal address.
type oneAddress struct {
	answer object
	client *railkit.Client
}

func newOneAddress(t *testing.T, m *railkit.Memory) *oneAddress {
	t.Helper()
	p := &oneAddress{answer: object{
		"id": "w-1", "beneficiaryId": "r-1", "beneficiaryAccountId": "b-1", "chain": "base", "currency": "usdc",
		"address": "0x00000000000000000000000000000000000000aA", "walletId": "mine", "status": "active",
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"success": true, "statusCode": 200, "data": p.answer})
	}))
	t.Cleanup(server.Close)
	c, err := railkit.New(railkit.Config{BaseURL: server.URL, APIKey: "key", InsecureSkipProofs: true, Memory: m})
	if err != nil {
		t.Fatal(err)
	}
	p.client = c
	return p
}

var ask = railkit.WithdrawAddressRequest{BeneficiaryID: "r-1", BeneficiaryAccountID: "B-1", WalletID: "mine"}

// A server that answers with an address for something else than was asked for is refused.
func TestPayout_SDKHoldsWithdrawAddressAgainstTheRequest(t *testing.T) {
	t.Parallel()
	for field, lie := range map[string]string{
		"beneficiaryId": "r-2", "beneficiaryAccountId": "b-2", "chain": "polygon",
		"currency": "usdt", "walletId": "thief",
	} {
		p := newOneAddress(t, nil)
		p.answer[field] = lie
		_, err := p.client.WithdrawAddresses.Create(t.Context(), ask)
		wantReason(t, field, err, railkit.ReasonAddress)
	}
	// The first wallet that is named for refunds waits.
	for wallet, want := range map[string]railkit.Reason{"mine": "", "thief": railkit.ReasonAddress} {
		p := newOneAddress(t, nil)
		delete(p.answer, "walletId")
		p.answer["pendingReturn"] = object{"walletId": wallet, "returnAddress": "0xb"}
		_, err := p.client.WithdrawAddresses.Create(t.Context(), ask)
		if want == "" && err != nil {
			t.Error(err)
		} else if want != "" {
			wantReason(t, "another wallet waits", err, want)
		}
	}
	p := newOneAddress(t, nil)
	_, err := p.client.WithdrawAddresses.Get(t.Context(), "w-2")
	wantReason(t, "another id", err, railkit.ReasonAddress)
	_, err = p.client.WithdrawAddresses.ChangeReturnAddress(t.Context(),
		"w-1", railkit.ReturnAddressRequest{WalletID: "other"})
	wantReason(t, "a change to another wallet", err, railkit.ReasonAddress)
	_, err = p.client.WithdrawAddresses.SetUpLiquidationAddress(t.Context(), railkit.LiquidationRequest{
		BeneficiaryAccountID: "b-1", Chain: "polygon", Currency: "usdc",
	})
	wantReason(t, "another chain", err, railkit.ReasonAddress)
}

// The first address that a bank account had is the only one: by every call, and for
// a client that starts anew and was told of it.
func TestPayout_SDKRefusesAnotherWithdrawAddress(t *testing.T) {
	t.Parallel()
	const swapped = "0x00000000000000000000000000000000000000Bb"
	p := newOneAddress(t, nil)
	for range 2 {
		if _, err := p.client.WithdrawAddresses.Create(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
	}
	p.answer["address"] = "0x00000000000000000000000000000000000000AA" // another spelling
	if _, err := p.client.WithdrawAddresses.Get(t.Context(), "w-1"); err != nil {
		t.Errorf("the same in capitals: %v", err)
	}
	p.answer["address"] = swapped
	_, err := p.client.WithdrawAddresses.Create(t.Context(), ask)
	wantReason(t, "created again", err, railkit.ReasonAddress)
	_, err = p.client.WithdrawAddresses.Get(t.Context(), "w-1")
	wantReason(t, "read", err, railkit.ReasonAddress)
	_, err = p.client.WithdrawAddresses.SetUpLiquidationAddress(t.Context(), railkit.LiquidationRequest{
		BeneficiaryAccountID: "b-1", Chain: "base", Currency: "usdc",
	})
	wantReason(t, "set up", err, railkit.ReasonAddress)
	p.answer["beneficiaryAccountId"] = "b-2" // of which the client knows no address
	_, err = p.client.WithdrawAddresses.Get(t.Context(), "w-1")
	wantReason(t, "the same id for another account", err, railkit.ReasonAddress)

	m := railkit.NewMemory()
	if err := m.RememberAddress(railkit.AddressUse{
		BankAccountID: "b-1", Chain: "base", Currency: "usdc",
	}, swapped); err != nil {
		t.Fatal(err)
	}
	_, err = newOneAddress(t, m).client.WithdrawAddresses.Create(t.Context(), ask)
	wantReason(t, "told before", err, railkit.ReasonAddress)
}

// A batch that leads a bank account's deposit to another address than it had before is refused, in a row and in the
// sums, and so is a deposit on another chain than the row's.
func TestPayout_SDKRefusesAnotherAddressOfABatch(t *testing.T) {
	t.Parallel()
	const own, swapped = "0x00000000000000000000000000000000000000aA", "0x00000000000000000000000000000000000000Bb"
	row := func(instructed object) object {
		return object{
			"row": 1, "beneficiaryAccountId": "b-1", "chain": "base", "token": "usdc", "withdrawAddressId": "w-1",
			"depositInstructions": instructed,
		}
	}
	at := func(address, chain string) object { return object{"address": address, "chain": chain, "token": "usdc"} }
	sum := func(address string) object {
		return object{"withdrawAddressId": "w-1", "address": address, "chain": "base", "token": "usdc"}
	}
	for name, c := range map[string]struct {
		row, sum object
		held     bool
	}{
		"as before":        {row(at(own, "base")), sum(own), true},
		"a row elsewhere":  {row(at(swapped, "base")), sum(own), false},
		"a sum elsewhere":  {row(nil), sum(swapped), false},
		"on another chain": {row(at(own, "polygon")), sum(own), false},
	} {
		p := newOneAddress(t, nil)
		if _, err := p.client.WithdrawAddresses.Create(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
		p.answer = object{"id": "batch", "rows": []object{c.row}, "addresses": []object{c.sum}}
		_, executed := p.client.Batches.Execute(t.Context(), "batch")
		_, read := p.client.Batches.Get(t.Context(), "batch", railkit.BatchRowOptions{})
		for _, err := range []error{executed, read} {
			if c.held {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			wantReason(t, name, err, railkit.ReasonAddress)
		}
	}
}
