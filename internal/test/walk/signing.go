package walk

import (
	"crypto/rand"
	"math/big"
	"strings"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	railkit "github.com/railkit/railkit/sdk/go"
)

// Paths that are called for their own sake, and before others.
const (
	ChallengePath = "/v1/signing/passkeys/challenge"
	walletPath    = "/v1/signing/wallets"
	accountPath   = "/v1/signing/wallets/accounts"
	txPath        = "/v1/transactions"

	payee = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

func createPasskeyChallenge(w *World) Request {
	return w.post(ChallengePath, map[string]string{"email": w.email()})
}

func registerPasskey(w *World) Request {
	w.T.Helper()
	email := w.email()
	ch, err := w.client().SubOrganizations.Challenge(w.context(), email)
	if err != nil {
		w.T.Fatal(err)
	}
	r := w.post("/v1/signing/passkeys/register", nil)
	r.Body = w.App.RegisterBody(ch, email)
	return r
}

func renamePasskey(w *World) Request {
	w.T.Helper()
	passkeys, err := w.client().Passkeys.List(w.context(), w.Owner().Sub.SubOrganizationID)
	if err != nil || len(passkeys) == 0 {
		w.T.Fatalf("%d passkeys, %v", len(passkeys), err)
	}
	return w.by("PATCH", "/v1/signing/passkeys/"+passkeys[0].ID, map[string]string{"label": w.name("label")})
}

func (w *World) newWallet() railkit.PrepareWalletRequest {
	return railkit.PrepareWalletRequest{
		WalletName: w.name("Wallet"), Chain: "base", SubOrganizationID: w.Owner().Sub.SubOrganizationID,
	}
}

func (w *World) newAccount() railkit.PrepareAccountRequest {
	return railkit.PrepareAccountRequest{WalletID: w.Owner().Wallet.WalletID, Chain: "base"}
}

func prepareWallet(w *World) Request        { return w.post(walletPath+"/prepare", w.newWallet()) }
func prepareWalletAccount(w *World) Request { return w.post(accountPath+"/prepare", w.newAccount()) }

func confirmWallet(w *World) Request {
	p := w.prepare(walletPath+"/prepare", w.newWallet())
	return w.post(walletPath+"/confirm", map[string]any{"walletRequestId": p.id, "signedActivity": p.signed})
}

func confirmWalletAccount(w *World) Request {
	p := w.prepare(accountPath+"/prepare", w.newAccount())
	return w.post(accountPath+"/confirm", map[string]any{"walletAccountRequestId": p.id, "signedActivity": p.signed})
}

func finishCeremony(w *World) Request {
	p := w.prepare(walletPath+"/prepare", w.newWallet())
	_, token, _ := strings.Cut(p.link, "/#")
	r := w.post("/finish", map[string]any{"token": token, "stamp": p.signed.Stamp})
	r.Authorization, r.Page = "", true
	return r
}

func prepareTransaction(w *World) Request {
	return w.post(txPath+"/prepare", w.Owner().Payment(payee, "1"))
}

func (w *World) newTransaction() stamped {
	return w.prepare(txPath+"/prepare", w.Owner().Payment(payee, "1"))
}

func (w *World) confirmation(p stamped, broadcast bool) Request {
	return w.post(txPath+"/confirm", map[string]any{
		"transactionId": p.id, "signedActivity": p.signed, "broadcast": broadcast,
	})
}

func confirmTransaction(w *World) Request { return w.confirmation(w.newTransaction(), true) }

func cancelTransaction(w *World) Request {
	return w.by("DELETE", txPath+"/sign/"+w.newTransaction().id, nil)
}

// held is a transaction that is signed and not sent.
func (w *World) held() string {
	w.T.Helper()
	p := w.newTransaction()
	w.must(w.confirmation(p, false), nil)
	return p.id
}

func broadcastTransaction(w *World) Request { return w.post(txPath+"/broadcast/"+w.held(), nil) }
func retryBroadcast(w *World) Request       { return w.post(txPath+"/broadcast/"+w.held()+"/retry", nil) }

func fundAddress(w *World) Request {
	return w.post("/v1/sandbox/faucet", railkit.FaucetRequest{
		Chain: "base", Address: payee, Asset: "native", Amount: "0.001",
	})
}

// broadcastRaw sends what a key outside has signed, which has money of its own.
func broadcastRaw(w *World) Request {
	w.T.Helper()
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails
	from, err := evm.AddressOf(secp256k1.PrivKeyFromBytes(secret).PubKey().SerializeCompressed())
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := w.client().Sandbox.Faucet(w.context(), railkit.FaucetRequest{
		Chain: "base", Address: from.String(), Asset: "native", Amount: "1",
	}); err != nil {
		w.T.Fatal(err)
	}
	to, err := evm.ParseAddress(payee)
	if err != nil {
		w.T.Fatal(err)
	}
	fee := big.NewInt(100_000_000_000)
	signed, err := evm.SignTx(evm.Tx{
		Type: evm.DynamicFee, ChainID: 84532, MaxFeePerGas: fee, MaxPriorityFeePerGas: fee, GasLimit: 21_000,
		To: &to, Value: big.NewInt(1),
	}, secret, from)
	if err != nil {
		w.T.Fatal(err)
	}
	return w.post(txPath+"/broadcast/raw", map[string]string{"signedTransaction": chain.Hex(signed)})
}

const swapPath = "/v1/action/execute/swap"

// swap sells ETH, which needs no allowance.
func (w *World) swap() map[string]any {
	return map[string]any{
		"chainId": 84532, "fromToken": "native", "toToken": "USDC", "amount": 0.001,
		"signWith": w.Owner().Address.Address,
	}
}

func prepareSwap(w *World) Request { return w.post(swapPath+"/prepare", w.swap()) }
