// Package aave writes the calls of lending pools that have the functions of Aave's V3 Pool, and of their gateways, and
// reads what they answer. It is pure. The signer reads the four calls that move money; borrowing is not written here.
package aave

import (
	"errors"
	"math/big"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/evm"
)

// ErrAmount is an amount that nobody can supply or withdraw.
var ErrAmount = errors.New("amount is zero, negative or over 256 bits")

// All stands for everything that was supplied, with the interest until the call is mined.
var All = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// Supply hands a token to the pool; the owner can take it out again.
func Supply(p chain.LendingPool, token string, amount *big.Int, owner string) (chain.Call, error) {
	return write(p.Pool, nil, "supply(address,uint256,address,uint16)", token, amount, owner, noReferral)
}

// Withdraw takes a token out of the pool, of which the sender is the owner.
func Withdraw(p chain.LendingPool, token string, amount *big.Int, to string) (chain.Call, error) {
	return write(p.Pool, nil, "withdraw(address,uint256,address)", token, amount, to)
}

// SupplyCoin hands the network's own coin to the pool.
func SupplyCoin(p chain.LendingPool, amount *big.Int, owner string) (chain.Call, error) {
	if !isAmount(amount) {
		return chain.Call{}, ErrAmount
	}
	return write(p.Gateway, amount, "depositETH(address,address,uint16)", p.Pool, owner, noReferral)
}

// WithdrawCoin takes the network's own coin out. The sender has approved the aToken of the wrapped coin to the gateway.
func WithdrawCoin(p chain.LendingPool, amount *big.Int, to string) (chain.Call, error) {
	return write(p.Gateway, nil, "withdrawETH(address,uint256,address)", p.Pool, amount, to)
}

// Approve lets a spender take exactly the amount of a token; of zero, nothing any more.
func Approve(token, spender string, amount *big.Int) (chain.Call, error) {
	if amount == nil || amount.Sign() != 0 && !isAmount(amount) {
		return chain.Call{}, ErrAmount
	}
	encoded, err := data("approve(address,uint256)", spender, amount)
	return chain.Call{To: token, Value: new(big.Int), Data: encoded}, err
}

// What a pool, a token and an oracle are asked.

// ReserveData asks a pool about a token; ParseReserve reads the answer.
func ReserveData(token string) ([]byte, error) { return data("getReserveData(address)", token) }

// AccountData asks a pool about a user; ParseAccount reads the answer.
func AccountData(user string) ([]byte, error) { return data("getUserAccountData(address)", user) }

// Price asks an oracle for dollars with eight decimals.
func Price(token string) ([]byte, error) { return data("getAssetPrice(address)", token) }

// BalanceOf asks a token.
func BalanceOf(owner string) ([]byte, error) { return data("balanceOf(address)", owner) }

var noReferral = new(big.Int)

func isAmount(n *big.Int) bool { return n != nil && n.Sign() > 0 && n.BitLen() <= 256 }

// write makes a call. The first number among its arguments is an amount.
func write(to string, value *big.Int, signature string, args ...any) (chain.Call, error) {
	for _, arg := range args {
		if n, ok := arg.(*big.Int); ok && n != noReferral && !isAmount(n) {
			return chain.Call{}, ErrAmount
		}
	}
	if value == nil {
		value = new(big.Int)
	}
	encoded, err := data(signature, args...)
	return chain.Call{To: to, Value: value, Data: encoded}, err
}

// data is the function's selector, and a word for each argument: an address in text, or a number.
func data(signature string, args ...any) ([]byte, error) {
	id := evm.Keccak256([]byte(signature))
	out := append([]byte(nil), id[:4]...)
	for _, arg := range args {
		var word [32]byte
		switch v := arg.(type) {
		case *big.Int:
			v.FillBytes(word[:])
		case string:
			a, err := evm.ParseAddress(v)
			if err != nil {
				return nil, err
			}
			copy(word[12:], a[:])
		}
		out = append(out, word[:]...)
	}
	return out, nil
}
