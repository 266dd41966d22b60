package crash_test

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/internal/facilitator"
	"github.com/railkit/railkit/internal/keyfile"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/testenv"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

// facilitatorPoints are between the steps of a settlement.
var facilitatorPoints = []string{
	"begin.before-write", "begin.after-write", "signed.before-write", "signed.after-write", "settlement.after-send",
	"end.before-write", "end.after-write", "tell.before-write", "tell.after-write",
}

// The facilitator dies between every two steps of a settlement on Solana, and the shop asks again as it does after an
// answer that was lost: its buyer has paid once, the success is said to that sale and to no other, and nothing waits.
func TestAgents_SolanaFacilitatorCrashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, testenv.TestEngine(t))
	s := w.sellsOnSolana()
	for i, point := range testenv.Sample(t, facilitatorPoints, 3) {
		r := s.paid()
		w.Arm(apptest.Facilitator, point)
		r.Identifier = uuid.NewString()
		receipt := s.settles(point, r)
		if held := w.heldOnSolana(s.offer.PayTo) - began; !receipt.Success || held != uint64(i+1)*sold {
			t.Fatalf("%s: %+v, and the seller has %d of %d sales", point, receipt, held, i+1)
		}
		w.until(point, func() error { return w.dead(apptest.Facilitator, point) })
		if again := s.settles(point, r); apptest.JSON(w.t, again) != apptest.JSON(w.t, receipt) {
			t.Errorf("%s: %+v, and again %+v", point, receipt, again)
		}
		r.Identifier = uuid.NewString()
		if other := s.settles(point, r); other.Success || other.ErrorReason != x402.ReasonDuplicateSettlement ||
			other.Transaction != receipt.Transaction {
			t.Errorf("%s: another sale hears %+v of %+v", point, other, receipt)
		}
		s.nothingWaits(point)
	}
}

// What a sale costs, and what the seller has at the beginning, in the smallest unit of USDC.
const sold, began = 10_000, 1_000_000

// solanaSeller sells by a facilitator whose fees an account of the application pays.
type solanaSeller struct {
	*world
	folder string
	offer  x402.Offer
	client *shop.Client
	buyer  ed25519.PrivateKey
	sales  byte
}

func (w *world) sellsOnSolana() *solanaSeller {
	w.t.Helper()
	seed := func(n byte) []byte { return append(make([]byte, 31), n) }
	s := &solanaSeller{
		world: w, folder: filepath.Join(w.t.TempDir(), "facilitator"), buyer: ed25519.NewKeyFromSeed(seed(1)),
	}
	key := filepath.Join(w.t.TempDir(), "delegation.key")
	fees, err := s.lends(key)
	api := filepath.Join(w.t.TempDir(), "api.key")
	wrote := os.WriteFile(api, []byte(w.Keys.BenchKey), 0o600)
	if err = errors.Join(err, wrote, os.Mkdir(s.folder, 0o700)); err != nil {
		w.t.Fatal(err)
	}
	url := w.StartFacilitator("--data", s.folder, "--key-file", key, "--api-key-file", api, "--solana-account", fees,
		"--rpc", "solana="+w.Devnet.RPCURL("solana"), "--wait", "5s")
	if s.client, err = shop.NewClient(url, shop.Timeouts{}); err != nil {
		w.t.Fatal(err)
	}
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	token, _ := n.TokenBySymbol("USDC")
	s.offer = shop.Exactly(n, token, fmt.Sprint(sold), solanaPayee)
	s.offer.Extra.FeePayer = fees
	return s
}

// lends makes the account that pays the fees, up to a cent for each, and gives it and the buyer what they need. The
// seller gets a token account.
func (s *solanaSeller) lends(keyFile string) (account string, err error) {
	s.t.Helper()
	ctx := s.t.Context()
	wallet, err := s.api.Wallets.Create(ctx, s.owner.Passkey, railkit.PrepareWalletRequest{
		WalletName: "Fees", SubOrganizationID: s.owner.Sub.SubOrganizationID,
	})
	if err != nil {
		return "", err
	}
	made, err := s.api.Addresses.Create(ctx, s.owner.Passkey, railkit.PrepareAccountRequest{
		WalletID: wallet.WalletID, Chain: "solana",
	})
	if err != nil {
		return "", err
	}
	public, err := keyfile.New(keyFile, "the delegation's key")
	if err != nil {
		return "", err
	}
	if _, err = facilitator.Lend(ctx, s.api, s.owner.Passkey, facilitator.Loan{
		WalletID: wallet.WalletID, PublicKey: public, Until: time.Now().Add(time.Hour), MaxValueUSD: "0.01",
		DailyUSD: "10",
	}); err != nil {
		return "", err
	}
	for _, f := range []railkit.FaucetRequest{
		{Address: made.Address, Asset: "native", Amount: "1"},
		{Address: s.from().String(), Asset: "USDC", Amount: "10"},
		{Address: solanaPayee, Asset: "USDC", Amount: "1"},
	} {
		f.Chain = "solana"
		if _, err := s.api.Sandbox.Faucet(ctx, f); err != nil {
			return "", err
		}
	}
	return made.Address, nil
}

func (s *solanaSeller) from() solana.Address {
	return solana.Address(s.buyer.Public().(ed25519.PublicKey))
}

// paid is what the facilitator is asked of a new payment.
func (s *solanaSeller) paid() x402.Request {
	s.t.Helper()
	s.sales++
	n, _ := chain.BySlug(chain.Sandbox, "solana")
	var block struct{ Value struct{ Blockhash string } }
	if err := s.askSolana("getLatestBlockhash", &block); err != nil {
		s.t.Fatal(err)
	}
	hash, err := solana.ParseAddress(block.Value.Blockhash)
	if err != nil {
		s.t.Fatal(err)
	}
	choice, skipped, ok := x402.Choose(x402.Offers{Dialect: s.offer.Dialect, List: []x402.Offer{s.offer}}, x402.Wants{
		Networks: []chain.Network{n}, Tokens: []string{"USDC"}, Methods: []x402.Method{x402.Sponsored},
		Max: big.NewInt(sold),
	})
	if !ok {
		s.t.Fatalf("%+v", skipped)
	}
	p := choice.Pay(s.from().String(), [32]byte{s.sales}, time.Now())
	p.Blockhash = hash
	message, err := p.ToSign()
	if err != nil {
		s.t.Fatal(err)
	}
	_, value, err := p.Header(ed25519.Sign(s.buyer, message))
	if err != nil {
		s.t.Fatal(err)
	}
	payload, err := x402.DecodeHeader(value)
	offer, err2 := json.Marshal(s.offer)
	if err := errors.Join(err, err2); err != nil {
		s.t.Fatal(err)
	}
	return x402.Request{Version: 2, Payload: payload, Requirements: offer}
}

// settles asks until there is an answer for good.
func (s *solanaSeller) settles(what string, r x402.Request) (receipt x402.Receipt) {
	s.t.Helper()
	s.until(what, func() (err error) {
		receipt, err = s.client.Settle(s.t.Context(), r)
		if err == nil && (receipt.Pending() || receipt.ErrorReason == x402.ReasonUnexpectedSettleError) {
			err = errors.New(receipt.ErrorReason)
		}
		return err
	})
	return receipt
}

func (s *solanaSeller) nothingWaits(what string) {
	s.t.Helper()
	s.until(what, func() error {
		all, err := facilitator.ListWaiting(s.t.Context(), s.folder)
		if err == nil && len(all) > 0 {
			err = fmt.Errorf("it waits: %+v", all)
		}
		return err
	})
}
