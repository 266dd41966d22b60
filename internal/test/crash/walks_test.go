package crash_test

import (
	"slices"

	"github.com/railkit/railkit/internal/test/apptest"
)

// walk is a piece of the story, and the points of each part at which it ends.
type walk struct {
	name   string
	run    func(w *world, arm func())
	points map[string][]string // by part
}

// What every request, every call of the signer and every entry of its journal pass.
func request(operation string) []string {
	return []string{operation + ".before-commit", operation + ".after-commit", operation + ".before-response"}
}

func call(method string) []string { return []string{method + ".before-call", method + ".after-call"} }

var (
	execution = []string{
		"enclave.decided", "enclave.appended", "journal.written", "journal.synced", "journal.headed",
		"enclave.durable", "enclave.signed",
	}
	entry = []string{"journal.written", "journal.synced", "journal.headed", "enclave.durable", "enclave.signed"}
)

// walks are all. A point that is in the code and in none of them fails a test,
// and so does one that no walk reaches.
var walks = []walk{
	{"register", register, map[string][]string{
		// The row of a registration is written before the signer hears of it, by no operation.
		apptest.Server:  slices.Concat([]string{".before-commit"}, call("Submit"), request("registerPasskey")),
		apptest.Enclave: execution,
	}},
	{"prepare a wallet", prepareWallet,
		map[string][]string{apptest.Server: slices.Concat(call("Preview"), request("prepareWallet"))}},
	{"confirm a wallet", confirmWallet, map[string][]string{
		apptest.Server:  slices.Concat(call("Submit"), request("confirmWallet")),
		apptest.Enclave: execution,
	}},
	{"prepare an address", prepareAccount,
		map[string][]string{apptest.Server: slices.Concat(call("Preview"), request("prepareWalletAccount"))}},
	{"confirm an address", confirmAccount, map[string][]string{
		apptest.Server:  slices.Concat(call("Submit"), request("confirmWalletAccount")),
		apptest.Enclave: execution,
	}},
	{"prepare", prepare,
		map[string][]string{apptest.Server: slices.Concat(call("Preview"), request("prepareTransaction"))}},
	{"confirm", confirm, map[string][]string{
		apptest.Server: slices.Concat(call("Submit"), []string{"node.before-send", "node.after-send"},
			request("confirmTransaction"),
			[]string{"node.after-receipt", "transaction.confirmed.before-commit"}),
		apptest.Enclave: execution,
		apptest.Chain:   {"miner.heard", "miner.before-block", "miner.after-block"},
	}},
	{"pay on Solana", payOnSolana, map[string][]string{
		apptest.Server: slices.Concat(call("Submit"), []string{"node.before-send", "node.after-send"},
			request("confirmTransaction"), []string{"transaction.confirmed.before-commit"}),
		apptest.Enclave: execution,
	}},
	{"broadcast on Solana", holdOnSolana, map[string][]string{
		apptest.Server: slices.Concat([]string{"node.before-send", "node.after-send"}, request("broadcastTransaction")),
	}},
	{"confirm and hold", hold, map[string][]string{
		// That it is held is written before the signer hears of it.
		apptest.Server:  slices.Concat([]string{".before-commit"}, call("Submit"), request("confirmTransaction")),
		apptest.Enclave: execution,
	}},
	{"broadcast", broadcast, map[string][]string{
		apptest.Server: slices.Concat([]string{"node.before-send", "node.after-send"}, request("broadcastTransaction")),
	}},
	{"cancel", cancel, map[string][]string{
		apptest.Server:  slices.Concat(call("Cancel"), request("cancelTransaction")),
		apptest.Enclave: entry,
	}},
	// From here on much is as above. The points are those at which it is not, and a few more.
	{"prepare a replacement", prepareReplacement, map[string][]string{
		apptest.Server: {"Preview.after-call", "prepareTransaction.before-commit", "prepareTransaction.after-commit"},
	}},
	{"speed up", speedUp, map[string][]string{
		apptest.Server: {
			signed, "node.before-send", "node.after-send", "confirmTransaction.before-commit",
			"confirmTransaction.after-commit",
			"transaction.failed.before-commit", // the end of the one that was replaced
		},
		apptest.Enclave: {"enclave.decided", "journal.synced", "enclave.signed"},
		apptest.Chain:   {"miner.heard"},
	}},
	{"void", void, map[string][]string{
		apptest.Server: {signed, "confirmTransaction.before-commit", "confirmTransaction.after-commit",
			"transaction.failed.before-commit"},
		apptest.Enclave: {"journal.written", "enclave.durable"},
	}},
	{"confirm what was signed outside", confirmOutside, map[string][]string{
		// Two commits: the one keeps the bytes, the other says that they are sent.
		apptest.Server: slices.Concat([]string{"transaction.keep.before-commit", "node.before-send", "node.after-send"},
			request("confirmTransaction")),
	}},
	{"finish a wallet on the page", finishWallet, map[string][]string{
		// What was handed in is written down first.
		apptest.Server:  slices.Concat([]string{".before-commit", signed}, request("finishCeremony")),
		apptest.Enclave: {"enclave.signed"},
	}},
	{"finish a transaction on the page", finishTransaction, map[string][]string{
		apptest.Server: slices.Concat([]string{".before-commit", signed, "node.after-send"},
			request("finishCeremony")),
		apptest.Enclave: {"enclave.durable"},
	}},
	{"create a policy without a stamp", createPolicy, map[string][]string{
		// Its row is written before the signer hears of it, by no operation.
		apptest.Server: slices.Concat(call("Preview"), []string{".before-commit"},
			call("Submit"), request("createPolicy")),
		apptest.Enclave: execution,
	}},
	{"raise a policy's limit", raiseLimit, map[string][]string{
		apptest.Server:  slices.Concat(call("Submit"), request("updatePolicy")),
		apptest.Enclave: entry,
	}},
	{"queue a message", queueMessage, map[string][]string{
		// The row is written before the signer hears of it.
		apptest.Server: slices.Concat([]string{".before-commit", "Preview.after-call"},
			call("Submit"), request("signMessage")),
		apptest.Enclave: {"enclave.decided", "journal.synced", "enclave.signed"},
	}},
	{"the last vote", lastVote, map[string][]string{
		apptest.Server:  slices.Concat(call("Submit"), request("approveApproval")),
		apptest.Enclave: execution,
	}},
	{"reject", rejectMessage, map[string][]string{
		apptest.Server:  slices.Concat(call("Cancel"), request("rejectApproval")),
		apptest.Enclave: {"journal.written", "enclave.durable"},
	}},
	{"receive a token", receive, map[string][]string{apptest.Server: {"watch.before-commit", "watch.after-commit"}}},
	{"make an agent", makeAgent, map[string][]string{apptest.Enclave: execution}},
	// Its entry is the agent's first word or how far its timestamps went: not there, or there and not told.
	{"write as an agent", writeAsAgent, map[string][]string{apptest.Enclave: {"journal.written", "journal.headed"}}},
}

// What the server's own work reaches once a client has gone that had its
// transaction, or its wallet, signed.
var (
	abandonedTransaction = []string{
		"Outcome.before-call", "Outcome.after-call", "transaction.recover.before-commit",
		"transaction.broadcast.before-commit", "transaction.confirmed.before-commit",
	}
	abandonedWallet = []string{"activity.recover.before-commit"}
)
