package decide

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/chain/solana"
	"github.com/railkit/railkit/enclave/wire"
)

// solPaths are an account on Solana.
func (l *life) solPaths() []wire.AccountParams {
	form := solana.Family{}.Form()
	return []wire.AccountParams{{
		Curve: form.Curve, PathFormat: form.PathFormat, AddressFormat: form.AddressFormat,
		Path: form.PathOf(l.rand.IntN(30)),
	}}
}

func isSolana(a wire.Account) bool { return a.AddressFormat == solana.Family{}.Form().AddressFormat }

// few is one of a few addresses or blockhashes, so that a message is soon made a second time.
func (l *life) few() solana.Address {
	return sha256.Sum256([]byte(fmt.Sprint("few", l.rand.IntN(3))))
}

// solana pays some lamports, as an intent or as exact bytes.
func (l *life) solana(n int, from string) Submission {
	l.t.Helper()
	to, lamports := l.few(), 1+l.rand.Uint64N(2)
	var sub Submission
	if l.rand.IntN(3) == 0 {
		sub = l.stamped(n, wire.SignTransaction, l.solBytes(from, to, lamports))
	} else {
		sub = l.stamped(n, wire.SignIntent, wire.SignIntentParams{
			SignWith: from, Chain: "solana", ChainID: "devnet", To: to.String(), Data: "0x",
			Value: strconv.FormatUint(lamports, 10), GasLimit: "1000", MaxTotalFee: "6000",
		})
	}
	sub.Volatile = wire.Volatile{
		Blockhash: l.few().String(), Version: []string{"v0", "v1"}[l.rand.IntN(2)], Units: "1000", LoadedBytes: "9999",
		Priority: strconv.Itoa(l.rand.IntN(1100)), LastHeight: strconv.Itoa(l.rand.IntN(50)),
	}
	if l.rand.IntN(5) == 0 {
		sub.Signer = nil // it waits
	}
	return sub
}

func (l *life) solBytes(from string, to solana.Address, lamports uint64) wire.SignTransactionParams {
	l.t.Helper()
	own := solAddress(from)
	m, err := solana.Compile(solana.V0, own, l.few(), solana.Config{},
		[]solana.Instruction{solana.TransferCoin(own, to, lamports)})
	if err != nil {
		l.t.Fatal(err)
	}
	raw, err := solana.Unsigned(m).Encode()
	if err != nil {
		l.t.Fatal(err)
	}
	return wire.SignTransactionParams{
		SignWith: from, Type: "TRANSACTION_TYPE_SOLANA", UnsignedTransaction: chain.Hex(raw),
	}
}
