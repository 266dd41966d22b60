package ledger

import "github.com/railkit/railkit/chain/solana"

// A forwarder is a program that calls another one for whoever asks, with the same data: its first account is that
// program, and the others are handed on. So a transaction does what no instruction of its message says, as those of
// routers and of wallets of several people do. The network has no such program, and a ledger has one where Forwarder
// names it. It is not held against LiteSVM: what it calls is.
func (f *frame) forward() error {
	if err := f.need(1); err != nil {
		return err
	}
	target := f.accounts[0].key
	if !isPlayed(target) || target == solana.TokenProgram && isUnmodelledToken(f.data) {
		return missingAccount
	}
	var all []solana.Account
	for _, a := range f.accounts[1:] {
		all = append(all, solana.Account{Address: a.key, Signs: a.signs, Written: a.written})
	}
	return f.invoke(target, f.data, nil, all...)
}

// Forward is an instruction by which a forwarder calls a program.
func Forward(by solana.Address, i solana.Instruction) solana.Instruction {
	accounts := append([]solana.Account{{Address: i.Program}}, i.Accounts...)
	return solana.Instruction{Program: by, Accounts: accounts, Data: i.Data}
}
