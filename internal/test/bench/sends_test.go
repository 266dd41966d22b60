package bench

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"net/http"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/google/uuid"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
	"github.com/railkit/railkit/chain/evm/rpc"
	"github.com/railkit/railkit/internal/test/bench/floor"
)

// sendFlows are payments that the node is given. They come last: the server follows what it sent, beside every flow
// that is measured after them.
func (c *customers) sendFlows() []flow {
	return []flow{
		{"send", 1, 20, oneAtATime, c.sends, c.floorSends},
		{"send", 8, 64, confirmAim, c.sends, c.floorSends},
		{"send", 32, 64, confirmAim, c.sends, c.floorSends},
	}
}

// sends are by wallets of their own: those of the flow sign have signed what is never sent, and what they sign after it
// waits for it.
func (c *customers) sends(n int) ([]call, error) {
	if c.senders == nil {
		senders, err := many(len(c.all), func(i int) (o customer, err error) {
			o = c.all[i]
			o.wallet, err = c.funded(o)
			return o, err
		})
		if err != nil {
			return nil, err
		}
		c.senders = senders
	}
	return c.confirms(n, func() customer { return c.senders[int(c.next.Add(1))%len(c.senders)] }, true)
}

// floorSends are those of the flow sign, and beside each the floor gives the node a transaction that was signed before:
// the same transfer, each by one of as many addresses as there are senders.
func (c *customers) floorSends(n int) ([]call, error) {
	raw, err := c.signedBefore(n)
	if err != nil {
		return nil, err
	}
	return many(n, func(i int) (call, error) {
		body := uuid.NewString()
		digest := sha256.Sum256([]byte(body))
		signature, err := ecdsa.SignASN1(rand.Reader, c.passkey, digest[:])
		if err != nil {
			return nil, err
		}
		q, err := json.Marshal(floor.Stamped{ID: body, Body: body, Signature: signature, Send: chain.Hex(raw[i])})
		return request(http.MethodPost, c.floorURL()+"/send", c.keys.BenchKey, q, nil, http.StatusOK), err
	})
}

// signedBefore are transfers in the order of their nonces.
func (c *customers) signedBefore(n int) ([][]byte, error) {
	senders := min(n, len(c.all))
	all := make([][]byte, n)
	client, err := rpc.Dial(context.Background(), c.devnet.RPCURL("base"), base())
	if err != nil {
		return nil, err
	}
	defer client.Close()
	fee, err := client.Fee(context.Background())
	if err != nil {
		return nil, err
	}
	_, err = many(senders, func(at int) (_ struct{}, err error) {
		key, err := secp256k1.GeneratePrivateKey()
		if err != nil {
			return struct{}{}, err
		}
		from, err := evm.AddressOf(key.PubKey().SerializeUncompressed())
		if err != nil {
			return struct{}{}, err
		}
		if err := c.fund(from.String()); err != nil {
			return struct{}{}, err
		}
		for i := at; i < n && err == nil; i += senders {
			all[i], err = signedTransfer(key.Serialize(), from, uint64(i/senders), fee.Max, fee.Priority)
		}
		return struct{}{}, err
	})
	return all, err
}

func signedTransfer(secret []byte, from evm.Address, nonce uint64, most, tip *big.Int) ([]byte, error) {
	usdc, _ := base().TokenBySymbol("USDC")
	token, err := evm.ParseAddress(usdc.Address)
	if err != nil {
		return nil, err
	}
	to, err := evm.ParseAddress(receiver)
	if err != nil {
		return nil, err
	}
	data, err := evm.EncodeTransfer(to, big.NewInt(10_000))
	if err != nil {
		return nil, err
	}
	return evm.SignTx(evm.Tx{
		Type: evm.DynamicFee, ChainID: base().ChainID, Nonce: nonce, MaxFeePerGas: new(big.Int).Lsh(most, 2),
		MaxPriorityFeePerGas: tip, GasLimit: 120_000, To: &token, Data: data,
	}, secret, from)
}

func base() chain.Network {
	n, _ := chain.BySlug(chain.Sandbox, "base")
	return n
}
