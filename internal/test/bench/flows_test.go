package bench

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/chain/node"
	"github.com/railkit/railkit/enclave/client"
	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/internal/test/bench/floor"
	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

const receiver = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

// customers are owners with a wallet each, and money on its address: as in
// production, calls that come together are about different ones.
type customers struct {
	*platform
	client      *railkit.Client
	all         []customer
	tenants     []tenant   // made where a flow needs them
	capped      []customer // likewise
	senders     []customer // likewise
	solana      []string   // their accounts there, likewise
	payees      []payee    // likewise, as the next
	payeesApart []payee
	next        atomic.Int64 // numbers wallets and turns
}

type customer struct {
	passkey passkey.Browser
	sub     *railkit.Registration
	wallet  *railkit.CreatedWallet
}

func newCustomers(p *platform, n int) *customers {
	c := &customers{platform: p, client: p.client()}
	var err error
	c.all, err = many(n, c.register)
	must(p.tb, err)
	return c
}

func (c *customers) register(i int) (o customer, err error) {
	ctx := context.Background()
	o.passkey = passkey.Browser{Authenticator: passkey.New(origin)}
	o.sub, err = c.client.SubOrganizations.Create(ctx, o.passkey, railkit.RegisterParams{
		Email: fmt.Sprintf("bench%d@example.com", i), Name: "Bench",
	})
	if err != nil {
		return o, err
	}
	o.wallet, err = c.funded(o)
	return o, err
}

// funded makes a wallet with money on its address.
func (c *customers) funded(o customer) (*railkit.CreatedWallet, error) {
	ctx := context.Background()
	wallet, err := c.client.Wallets.Create(ctx, o.passkey, c.newWallet(o))
	if err != nil {
		return nil, err
	}
	return wallet, c.fund(wallet.Addresses[0].Address)
}

func (c *customers) fund(address string) error {
	for asset, amount := range map[string]string{"native": "1", "USDC": "1000"} {
		if _, err := c.devnet.Faucet(context.Background(), "base", address, asset, amount); err != nil {
			return err
		}
	}
	return nil
}

func (c *customers) newWallet(o customer) railkit.PrepareWalletRequest {
	return railkit.PrepareWalletRequest{
		WalletName: fmt.Sprintf("Wallet %d", c.next.Add(1)), Chain: "base", SubOrganizationID: o.sub.SubOrganizationID,
	}
}

// turn is each customer's in turn.
func (c *customers) turn() customer { return c.all[int(c.next.Add(1))%len(c.all)] }

// many makes n things, some at once.
func many[T any](n int, make1 func(i int) (T, error)) ([]T, error) {
	all := make([]T, n)
	var group errgroup.Group
	group.SetLimit(mostCallers)
	for i := range n {
		group.Go(func() (err error) {
			all[i], err = make1(i)
			return err
		})
	}
	return all, group.Wait()
}

// payment prepares and stamps a customer's transfer of a token, at a fee. Prepare and confirm say alike whether it is
// to be sent, as programs do that know it.
func (c *customers) payment(o customer, send bool) (q railkit.ConfirmTransactionRequest, fee railkit.Fee, err error) {
	n := base()
	usdc, _ := n.TokenBySymbol("USDC")
	p, err := c.client.Transactions.Prepare(context.Background(), railkit.PrepareTransactionRequest{
		Type: railkit.TransferToken, PayAgain: true, SignWith: o.wallet.Addresses[0].Address, ChainID: n.ChainID,
		To: receiver, Amount: "0.01", TokenAddress: usdc.Address, Broadcast: &send,
	})
	if err != nil {
		return q, fee, err
	}
	stamp, err := o.passkey.Stamp(p.UnsignedActivity.Body)
	return railkit.ConfirmTransactionRequest{
		TransactionID: p.TransactionID, SignedActivity: p.Signed(stamp), Broadcast: &send,
	}, p.Fee, err
}

// confirm is a stamped body on its way in, under a key as every SDK sends one.
func (c *customers) confirm(path string, body any, want int) (call, error) {
	raw, err := json.Marshal(body)
	header := map[string]string{"Idempotency-Key": uuid.NewString()}
	return request(http.MethodPost, c.url()+path, c.keys.BenchKey, raw, header, want), err
}

func (c *customers) signs(n int) ([]call, error) { return c.confirms(n, c.turn, false) }

func (c *customers) confirms(n int, turn func() customer, send bool) ([]call, error) {
	return many(n, func(int) (call, error) {
		q, _, err := c.payment(turn(), send)
		if err != nil {
			return nil, err
		}
		return c.confirm("/v1/transactions/confirm", q, http.StatusOK)
	})
}

func (c *customers) creations(n int) ([]call, error) {
	return many(n, func(int) (call, error) {
		o := c.turn()
		p, err := c.client.Wallets.Prepare(context.Background(), c.newWallet(o))
		if err != nil {
			return nil, err
		}
		stamp, err := o.passkey.Stamp(p.UnsignedActivity.Body)
		if err != nil {
			return nil, err
		}
		q := railkit.ConfirmWalletRequest{WalletRequestID: p.WalletRequestID, SignedActivity: p.Signed(stamp)}
		return c.confirm("/v1/signing/wallets/confirm", q, http.StatusCreated)
	})
}

func (c *customers) reads(n int) ([]call, error) {
	return many(n, func(int) (call, error) {
		return request(http.MethodGet, c.url()+"/v1/signing/wallets/"+c.turn().wallet.WalletID,
			c.keys.BenchKey, nil, nil, http.StatusOK), nil
	})
}

func (c *customers) floorReads(n int) ([]call, error) {
	return many(n, func(int) (call, error) {
		return request(http.MethodGet, c.floorURL()+"/wallets/"+c.turn().wallet.WalletID,
			c.keys.BenchKey, nil, nil, http.StatusOK), nil
	})
}

// views read a prepared transaction: after the key, one row.
func (c *customers) views(n int) ([]call, error) {
	return c.viewsAt(n, c.url()+"/v1/transactions/sign/")
}

func (c *customers) floorViews(n int) ([]call, error) {
	return c.viewsAt(n, c.floorURL()+"/transactions/")
}

func (c *customers) viewsAt(n int, path string) ([]call, error) {
	q, _, err := c.payment(c.turn(), false)
	if err != nil {
		return nil, err
	}
	return slices.Repeat(
		[]call{request(http.MethodGet, path+q.TransactionID, c.keys.BenchKey, nil, nil, http.StatusOK)}, n,
	), nil
}

// renames are the cheapest change under an idempotency key: after the key, one
// row is read and one is changed.
func (c *customers) renames(n int) ([]call, error) {
	return c.renamesAt(n, c.url()+"/v1/signing/passkeys/")
}

func (c *customers) floorRenames(n int) ([]call, error) {
	return c.renamesAt(n, c.floorURL()+"/passkeys/")
}

func (c *customers) renamesAt(n int, path string) ([]call, error) {
	return many(n, func(int) (call, error) {
		header := map[string]string{"Idempotency-Key": uuid.NewString()}
		body := fmt.Appendf(nil, `{"label":"Label %d"}`, c.next.Add(1))
		return request(http.MethodPatch, path+c.turn().sub.PasskeyID, c.keys.BenchKey, body, header, http.StatusOK), nil
	})
}

// rawRenames commit without HTTP, in the load generator itself.
func (c *customers) rawRenames(n int) ([]call, error) {
	read, write, err := floorDatabase(context.Background(), c.database, filepath.Join(c.dir, "raw.db"))
	if err != nil {
		return nil, err
	}
	c.tb.Cleanup(func() { _ = errors.Join(read.Close(), write.Close()) })
	commits, err := floor.OpenCommits(context.Background(), write)
	if err != nil {
		return nil, err
	}
	return many(n, func(i int) (call, error) {
		r := floor.Renaming{
			Key:    uuid.NewString(),
			ID:     c.turn().sub.PasskeyID,
			Label:  fmt.Sprintf("Label %d", i),
			Answer: []byte("{}\n"),
		}
		return func() error { return commits.Rename(context.Background(), r) }, nil
	})
}

// stamped are calls of the floor that it checks a signature of.
func (c *customers) stamped(path string) func(n int) ([]call, error) {
	return func(n int) ([]call, error) {
		return many(n, func(int) (call, error) {
			body := uuid.NewString()
			digest := sha256.Sum256([]byte(body))
			signature, err := ecdsa.SignASN1(rand.Reader, c.passkey, digest[:])
			if err != nil {
				return nil, err
			}
			raw, err := json.Marshal(floor.Stamped{ID: body, Body: body, Signature: signature})
			return request(http.MethodPost, c.floorURL()+path, c.keys.BenchKey, raw, nil, http.StatusOK), err
		})
	}
}

// submits go to the enclave directly. Its server must be gone by then: it would
// send what it finds signed.
func (c *customers) submits(n int) ([]call, error) {
	enclave := client.New(c.socket, c.enclaveKey())
	return many(n, func(int) (call, error) {
		q, fee, err := c.payment(c.turn(), false)
		if err != nil {
			return nil, err
		}
		stamp := q.SignedActivity.Stamp
		submit := wire.SubmitRequest{Body: q.SignedActivity.Body, Stamp: &stamp, Volatile: &wire.Volatile{
			NonceFloor: "0", MaxFeePerGas: fee.MaxFeePerGas, MaxPriorityFeePerGas: fee.MaxPriorityFeePerGas,
		}}
		return func() error {
			_, err := enclave.Submit(context.Background(), submit, wire.Fingerprint(submit.Body))
			return err
		}, nil
	})
}

func (c *customers) floorSubmits(n int) ([]call, error) {
	signer, err := floor.Dial(filepath.Join(filepath.Dir(c.socket), "s"), mostCallers)
	if err != nil {
		return nil, err
	}
	return many(n, func(int) (call, error) {
		digest := sha256.Sum256([]byte(uuid.NewString()))
		signature, err := ecdsa.SignASN1(rand.Reader, c.passkey, digest[:])
		return func() error { return signer.SignDurably(digest, signature) }, err
	})
}

// nodeTime is how long the node takes for what a signature asks it.
func (c *customers) nodeTime() time.Duration {
	n := base()
	usdc, _ := n.TokenBySymbol("USDC")
	client, err := rpc.Dial(context.Background(), c.devnet.RPCURL("base"), n)
	must(c.tb, err)
	defer client.Close()
	from, err := evm.ParseAddress(c.all[0].wallet.Addresses[0].Address)
	must(c.tb, err)
	data, err := evm.EncodeTransfer(from, big.NewInt(1))
	must(c.tb, err)
	s, _, err := measure(slices.Repeat([]call{func() error {
		p, err := client.Preflight(context.Background(), node.Flight{
			From: from.String(), To: usdc.Address, Data: data, Token: usdc.Address, Estimate: true,
		})
		return errors.Join(err, p.GasError)
	}}, 50), 1, nil)
	must(c.tb, err)
	return s.p50
}
