package takeover

import (
	"bytes"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/railkit/railkit/enclave/wire"
)

// market is what things are worth.
var market = map[string]string{"ETH": "3000", "SOL": "150", "TRX": "0.3", "USDC": "1"}

// weiPerByte is what base and optimism take for a byte of a transaction.
const weiPerByte = 10_000_000_000

// usdcs are the contracts of USDC, by network.
var usdcs = map[string]string{"base": usdc, "polygon": "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582"}

// signing is a signed transaction, as another library reads it.
type signing struct {
	tx         *types.Transaction // nil of a transfer that its seller hands in, who pays the fee too
	network    string             // of such a transfer
	at         time.Time          // when it came out
	from       common.Address
	asset      string         // of what it moves: "ETH" or "USDC"
	to         common.Address // who gets it
	amount     *big.Int
	understood bool // it is no more than that
}

func bytesOf(text string) io.Reader { return strings.NewReader(text) }

// reading understands two things: a payment of the coin, and one of the token.
func reading(tx *types.Transaction, from common.Address, at time.Time) signing {
	x := signing{tx: tx, at: at, from: from, asset: "ETH", amount: tx.Value()}
	if tx.To() == nil {
		return x
	}
	x.to = *tx.To()
	token, listed := usdcs[x.chain()]
	data, transfer := tx.Data(), crypto.Keccak256([]byte("transfer(address,uint256)"))[:4]
	switch {
	case len(data) == 0:
		x.understood = true
	case listed && x.to == common.HexToAddress(token) && len(data) == 68 && bytes.Equal(data[:4], transfer) &&
		tx.Value().Sign() == 0 && allZero(data[4:16]):
		x.asset, x.to, x.amount, x.understood = "USDC",
			common.BytesToAddress(data[16:36]), new(big.Int).SetBytes(data[36:]), true
	}
	return x
}

func allZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// chain is the network that it is for, "" of one that is not named in any rule here.
func (x signing) chain() string {
	if x.tx == nil {
		return x.network
	}
	return map[string]string{"84532": "base", "80002": "polygon"}[x.tx.ChainId().String()]
}

// fee is what the network may take for it, in millionths of a USD.
func (x signing) fee() *big.Int {
	if x.tx == nil {
		return new(big.Int)
	}
	fee := new(big.Int).Mul(x.tx.GasFeeCap(), new(big.Int).SetUint64(x.tx.Gas()))
	if id := x.tx.ChainId().Uint64(); id == baseID || id == optimismID {
		fee.Add(fee, new(big.Int).Mul(big.NewInt(weiPerByte), new(big.Int).SetUint64(x.tx.Size())))
	}
	return sum(fee, market["ETH"], 18)
}

// micro is what it may cost, in millionths of a USD.
func (x signing) micro() uint64 {
	all := x.fee()
	if x.asset == "USDC" {
		return all.Add(all, sum(x.amount, market["USDC"], 6)).Uint64()
	}
	return all.Add(all, sum(x.amount, market["ETH"], 18)).Uint64()
}

// costs reports whether it costs more than so many USD, or nobody can tell.
func (x signing) costs(usd string) bool { return !x.understood || x.micro() > dollars(usd) }

func dollars(usd string) uint64 {
	return sum(big.NewInt(1), usd, 0).Uint64()
}

// is reports whether a body is about this very transaction.
func (x signing) is(b wire.Body) bool {
	switch b.Type {
	case wire.SignIntent:
		p, ok := decode[wire.SignIntentParams](b.Parameters)
		return ok && x.isIntent(p)
	case wire.SignTransaction:
		p, ok := decode[wire.SignTransactionParams](b.Parameters)
		digest := types.LatestSignerForChainID(x.tx.ChainId()).Hash(x.tx)
		return ok && common.HexToAddress(p.SignWith) == x.from && p.ChainID == x.tx.ChainId().String() &&
			crypto.Keccak256Hash(common.FromHex(p.UnsignedTransaction)) == digest
	}
	return false
}

func (x signing) isIntent(p wire.SignIntentParams) bool {
	limit, ok := new(big.Int).SetString(p.MaxTotalFee, 10)
	fee := new(big.Int).Mul(x.tx.GasFeeCap(), new(big.Int).SetUint64(x.tx.Gas()))
	words := p.Transfer == nil || x.asset == "USDC" && x.understood && common.HexToAddress(p.Transfer.To) == x.to &&
		p.Transfer.Amount == x.amount.String() && common.HexToAddress(p.Transfer.Token) == *x.tx.To()
	return ok && words && fee.Cmp(limit) <= 0 && x.tx.To() != nil && common.HexToAddress(p.SignWith) == x.from &&
		p.ChainID == x.tx.ChainId().String() &&
		common.HexToAddress(p.To) == *x.tx.To() && p.Value == x.tx.Value().String() &&
		bytes.Equal(common.FromHex(p.Data), x.tx.Data()) &&
		p.GasLimit == strconv.FormatUint(x.tx.Gas(), 10)
}

// rules holds a transaction against all policies of the wallet.
func (s *society) rules(p purse, x signing) error {
	for _, policy := range s.policies {
		if policy.WalletID != p.wallet {
			continue
		}
		if err := s.rule(p, policy.Rules, x); err != nil {
			return err
		}
	}
	return nil
}

func (s *society) rule(p purse, r wire.Rules, x signing) error {
	spent := s.spent[p.wallet][x.at.UTC().Format(time.DateOnly)]
	switch {
	case !x.understood:
		return errNot("understood")
	case s.wastes(x):
		return errNot("to somebody who can use it")
	case len(r.AllowedChains) > 0 && !slices.Contains(r.AllowedChains, x.chain()):
		return errNot("on an allowed chain")
	case len(r.AllowedDestinations) > 0 && !slices.Contains(r.AllowedDestinations, x.to.Hex()):
		return errNot("to an allowed destination")
	case r.PayeesOnly && !s.knows(x.to, r.PayeeCoolingHours):
		return errNot("to a payee")
	case len(r.AllowedTokens) > 0 && !slices.Contains(r.AllowedTokens, x.asset):
		return errNot("of an allowed token")
	case r.MaxValueUSD != "" && x.micro() > dollars(r.MaxValueUSD):
		return errNot("within the most that one may cost")
	case r.DailyUSD != "" && spent+x.micro() > dollars(r.DailyUSD):
		return errNot("within the day's limit")
	case r.MonthlyUSD != "" && spent+x.micro() > dollars(r.MonthlyUSD):
		return errNot("within the month's limit")
	}
	return nil
}

// wastes reports whether a payment goes where nobody means to pay: to a contract that gives nothing back, to a payee
// that its owners know to be a contract, or to who pays it.
func (s *society) wastes(x signing) bool {
	return slices.Contains(wasteful, x.to.Hex()) || x.to == x.from && x.amount.Sign() > 0 ||
		slices.ContainsFunc(s.friends, func(f friend) bool {
			return f.contract && common.HexToAddress(f.address) == x.to
		})
}

type errNot string

func (e errNot) Error() string { return "a policy of the wallet: it is not " + string(e) }

// delegated is the policy whose delegation covers a transaction that nobody
// stamped. Who has the key of one that names a key is in its notes only.
func (s *society) delegated(p purse, x signing) string {
	if s.rules(p, x) != nil {
		return ""
	}
	for id, policy := range s.policies {
		d := policy.Rules.Delegation
		if policy.WalletID != p.wallet || d == nil || d.PublicKey != nil || !d.AnyRequest {
			continue
		}
		ends, _ := strconv.ParseInt(d.ExpiresAtMs, 10, 64)
		spent := s.spent[id][x.at.UTC().Format(time.DateOnly)]
		if x.at.UnixMilli() < ends && x.micro() <= dollars(d.MaxValueUSD) &&
			spent+x.micro() <= dollars(d.DailyUSD) &&
			(slices.Contains(d.AllowedDestinations, x.to.Hex()) ||
				d.PayeesOnly && s.knows(x.to, d.PayeeCoolingHours)) &&
			(!s.config.Enabled || !x.costs(s.config.ThresholdUSD)) {
			return id
		}
	}
	return ""
}
