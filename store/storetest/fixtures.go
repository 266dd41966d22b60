package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/railkit/railkit/kit/signing"
	"github.com/railkit/railkit/kit/signing/activity"
	"github.com/railkit/railkit/kit/signing/passkey"
	"github.com/railkit/railkit/kit/signing/transaction"
	"github.com/railkit/railkit/kit/signing/wallet"
)

const checksummed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // an example of EIP-55

func aSubOrganization(ws, id string) passkey.SubOrganization {
	return passkey.SubOrganization{
		WorkspaceID: ws, ID: id, UserID: "user-1", Email: "a@example.com", Name: "Ada",
		RecoveryPublicKey: "02ab", Proof: `{"seq":1}`, CreatedAt: Start,
	}
}

func aPasskey(ws, id string) passkey.Passkey {
	return passkey.Passkey{
		WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", UserID: "user-1", Email: "a@example.com",
		CredentialID: "credential-" + id, PublicKey: "pQEC", AAGUID: "00000000-0000-0000-0000-000000000000",
		Transports: []string{"internal", "hybrid"}, Label: "Laptop", CreatedAt: Start, LastUsedAt: Start.Add(time.Hour),
	}
}

func anActivity(ws, id string) activity.Activity {
	return activity.Activity{
		WorkspaceID: ws, ID: id, Kind: "CREATE_WALLET_ACCOUNTS", SubOrganizationID: "sub-1", WalletID: "wallet-1",
		Name: "Savings", Chain: "base", Paths: []string{"m/44'/60'/0'/0/1"}, Body: `{"type":"x"}`,
		Fingerprint: "fp-" + id,
		Preview:     `{"seq":2}`, State: activity.Awaiting, CreatedAt: Start, ExpiresAt: Start.Add(15 * time.Minute),
	}
}

func aWallet(ws, id string) wallet.Wallet {
	return wallet.Wallet{
		WorkspaceID: ws, ID: id, EnclaveID: "enclave-" + id, SubOrganizationID: "sub-1", Name: "Main " + id,
		Proof: `{"seq":3}`, CreatedAt: Start,
	}
}

func anAddress(ws, id string) wallet.Address {
	return wallet.Address{
		WorkspaceID: ws, ID: id, WalletID: "wallet-1", Address: checksummed, Kind: "evm", Chain: "base", Name: "First",
		Path: "m/44'/60'/0'/0/0", Curve: "secp256k1", AddressFormat: "ADDRESS_FORMAT_ETHEREUM", PublicKey: "03cd",
		Proof: `{"seq":4}`, CreatedAt: Start,
	}
}

func aTransaction(ws, id string) transaction.Transaction {
	return transaction.Transaction{
		WorkspaceID: ws, ID: id, SubOrganizationID: "sub-1", WalletID: "wallet-1", Type: "transfer_token",
		From: checksummed, To: "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", Amount: "25.5",
		TokenAddress: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", TokenSymbol: "USDC", Chain: "base", ChainID: 84532,
		Body: `{"type":"y"}`, Fingerprint: "fp-" + id, Preview: `{"seq":5}`, UnsignedTransaction: "0x02",
		Fee:   `{"gasLimit":"1"}`,
		State: transaction.Awaiting, ExpiresAt: Start.Add(15 * time.Minute), CreatedAt: Start, UpdatedAt: Start,
	}
}

// sent is a transaction with every field set.
func sent(ws, id string, nonce int64) transaction.Transaction {
	x := aTransaction(ws, id)
	x.State, x.Held, x.Reason, x.Nonce = transaction.Confirmed, true, "none", &nonce
	x.SignedTransaction, x.TxHash, x.Proof = "0x02ff", "0xaa", `{"seq":6}`
	x.BlockNumber, x.BlockHash, x.Confirmations, x.Attempts = 7, "0xbb", 8, 9
	x.UpdatedAt, x.BroadcastAt, x.MinedAt = Start.Add(1), Start.Add(2*time.Microsecond), Start.Add(3*time.Second)
	x.UpdatedAt = Start.Add(time.Second)
	x.ConfirmedAt, x.FailedAt = Start.Add(4*time.Second), Start.Add(5*time.Second)
	x.Replaces, x.Stuck = "tx-0", true
	x.LookAt, x.NonceUsedHead = Start.Add(6*time.Second), 11
	return x
}

// seed writes one of everything for a workspace.
func (b *bench) seed(t *testing.T, ws string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		return errors.Join(
			tx.InsertSubOrganization(ctx, aSubOrganization(ws, "sub-1")),
			tx.InsertPasskey(ctx, aPasskey(ws, "passkey-1")),
			tx.InsertActivity(ctx, anActivity(ws, "activity-1")),
			tx.InsertWallet(ctx, aWallet(ws, "wallet-1")),
			tx.InsertAddress(ctx, anAddress(ws, "address-1")),
			tx.InsertTransaction(ctx, aTransaction(ws, "tx-1")),
		)
	})
}

// transactions writes n of them, each a second after the one before.
func (b *bench) transactions(t *testing.T, n int, change func(i int, x *transaction.Transaction)) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx signing.Tx) error {
		for i := range n {
			x := aTransaction(Ours, fmt.Sprintf("tx-%02d", i))
			x.CreatedAt = Start.Add(time.Duration(i) * time.Second)
			x.UpdatedAt = x.CreatedAt
			if change != nil {
				change(i, &x)
			}
			if err := tx.InsertTransaction(ctx, x); err != nil {
				return err
			}
		}
		return nil
	})
}

// IDs are those of rows.
func IDs[T any](rows []T, id func(T) string) []string {
	all := []string{}
	for _, r := range rows {
		all = append(all, id(r))
	}
	return all
}

func txID(x transaction.Transaction) string { return x.ID }
func walletID(w wallet.Wallet) string       { return w.ID }
