package archtest

// Which kit stands on which, and what the nouns of one may know of each other.
var kitRules = []Rule{
	{
		Name: "kits know no adapter",
		From: []string{"./kit/..."},
		Never: join(nodeClients, []string{
			"database/sql", "./store/...", "./api/...", "./internal/app/...",
		}),
		Why: "a kit declares the small interfaces it consumes, so that its rules hold for any database, " +
			"node or partner",
	},
	{
		Name: "the agent kit stands on the signing kit, and on no other",
		From: []string{"./kit/agent/..."},
		Only: join(pureChain, leaves, []string{
			"./rest", "./chain/node", "./platform/...", "./job", "./enclave/wire", "./enclave/refusal",
			"./enclave/client", "./x402/...", "./kit/signing/...", "./kit/agent/...",
		}),
		Never: []string{"./kit/payout/...", "./kit/trade/...", "./kit/widget/..."},
		Why:   "what agents pay is signed, counted and written as any transaction is; nothing else of it is another kit's",
	},
	{
		Name: "the trade kit stands on the signing kit, and on no other",
		From: []string{"./kit/trade/..."},
		Only: join(pureChain, leaves, []string{
			"./rest", "./chain/node", "./chain/exchange", "./platform/...", "./kit/signing/...", "./kit/trade/...",
		}),
		Never: []string{"./kit/payout/...", "./kit/agent/...", "./kit/widget/..."},
		Why:   "a trade is a transaction that its owner stamps; what an exchange or a pool says decides nothing else",
	},
	{
		Name: "the widget kit knows networks and its own nouns",
		From: []string{"./kit/widget/..."},
		Only: join(pureChain, leaves, []string{
			"./rest", "./platform/...", "./kit/widget/...", "./chain/node", "./job",
		}),
		Never: join(nodeClients, []string{
			"database/sql", "./store/...", "./api/...", "./internal/app/...", "./enclave/...",
		}),
		Why: "what a widget shows is data that was checked, and nothing here signs or pays",
	},
	{
		Name: "the signing kit knows the signer's port only",
		From: []string{"./kit/signing/..."},
		Only: join(pureChain, leaves, []string{
			"./rest", "./chain/node", "./platform/...", "./job", "./enclave/wire", "./enclave/refusal",
			"./enclave/client", "./kit/signing/...",
		}),
		Never: join(nodeClients, []string{
			"database/sql", "./store/...", "./api/...", "./internal/app/...", "./kit/payout/...", "./kit/agent/...",
			"./kit/trade/...", "./kit/widget/...",
		}),
		Why: "kits stand on it: agents and trades register with it what becomes of their bodies, and it asks for none of " +
			"them by name",
	},
	{
		Name: "what signing stands on knows no noun",
		From: []string{"./kit/signing/signer", "./kit/signing/nodes"},
		Only: join(pureChain, leaves, []string{
			"./chain/node", "./platform/...", "./job", "./enclave/wire", "./enclave/refusal", "./enclave/client",
		}),
		Never: []string{"./kit/signing", "./kit/signing/activity", "./kit/signing/transaction"},
		Why:   "every noun imports them; one that they knew could import none of them",
	},
	{
		Name: "a payment is signed and sent without rules",
		From: []string{
			"./kit/signing/wallet", "./kit/signing/plan", "./kit/signing/transaction", "./kit/signing/broadcast",
		},
		Never: []string{"./kit/signing/rule", "./kit/signing/recovery", "./kit/signing/change", "./kit/signing/vote"},
		Why:   "the enclave judges what is signed; whoever follows a payment must not have to read how rules change",
	},
	{
		Name: "the payout kit knows the partner's port only",
		From: []string{"./kit/payout/..."},
		Only: join(pureChain, leaves, []string{
			"./platform/...", "./job", "./fiat", "./fiat/bank", "./fiat/calendar", "./rest", "./kit/payout/...",
		}),
		Never: join(nodeClients, []string{
			"database/sql", "./store/...", "./api/...", "./internal/app/...", "./enclave/...",
		}),
		Why: "what moves money holds for any partner, and no payout needs the signer",
	},
	{
		Name:  "an order is arithmetic",
		From:  []string{"./kit/payout/order", "./kit/payout/ledger"},
		Only:  join(leaves, []string{"./fiat", "./kit/payout/ledger"}),
		Never: []string{"net/http", "os/exec"},
		Why:   "what is pure can be tried with every order of events",
	},
	{
		Name:  "screening's port is only words and a list",
		From:  []string{"./kit/payout/screen"},
		Only:  join(pureChain, leaves, []string{"./kit/payout/order"}),
		Never: []string{"net/http", "database/sql", "os/exec"},
		Why:   "payments and refunds import it, and must not get a provider's client with it",
	},
	{
		Name:  "a comparison is arithmetic",
		From:  []string{"./kit/payout/match"},
		Only:  join(leaves, []string{"./fiat", "./kit/payout/order", "./platform/watch"}),
		Never: []string{"net/http", "database/sql"},
		Why:   "each kind of difference can be planted without a partner, a chain or a database",
	},
}
