// Package archtest holds the tree to its own drawing: which package may use
// which, and how large a file or a function may grow. Each rule says why.
package archtest

import "slices"

// Rule is one line of the dependency rule. Patterns are like go list's: ./kit/...
// is a folder of this module and all below it, ./fault one package; anything
// else is the standard library or another module.
type Rule struct {
	Name   string
	From   []string // packages that the rule is about
	Except []string // ... but not these

	Never []string // what they must not link, however indirectly
	Only  []string // of this module, all that they may import; empty means no limit

	Why string
}

// Rules are all of them.
var Rules = slices.Concat(kitRules, otherRules)

var otherRules = []Rule{
	{
		Name:   "the enclave reaches nothing",
		From:   []string{"./enclave/...", "./cmd/railkit-enclave"},
		Except: []string{"./enclave/client"},
		Never: join(nodeClients, outside, []string{
			"net/http", "net/rpc", "database/sql", "plugin",
			"github.com/ethereum/go-ethereum/...", "google.golang.org/grpc",
		}),
		Why: "a signer that links an HTTP client, a database or a node client can be made to use it; " +
			"what is not linked cannot be reached by any bug",
	},
	{
		Name:   "the enclave is judged alone",
		From:   []string{"./enclave/...", "./cmd/railkit-enclave"},
		Except: []string{"./enclave/client"},
		Only:   join(pureChain, leaves, crashing, []string{"./enclave/...", "./internal/child"}),
		Why:    "whoever reviews the signer has to read this list and no more",
	},
	{
		Name:   "the signer is in its own program",
		From:   []string{"./..."},
		Except: join(harnesses, []string{"./enclave/...", "./cmd/railkit-enclave"}),
		Never:  []string{"./enclave", "./enclave/journal", "./enclave/decide", "./enclave/keystore"},
		Why: "whoever links the signer can run it, and hold its keys, in a process that has a network; " +
			"only tests do, in internal/test/enclavetest",
	},
	{
		Name:  "the enclave's client holds no part of the signer",
		From:  []string{"./enclave/client"},
		Only:  join(crashing, []string{"./enclave/frame", "./enclave/wire", "./chain", "./fault", "./requestid"}),
		Never: []string{"./enclave/keystore", "./enclave/decide", "./enclave/journal"},
		Why:   "code in the server's process that could unseal a key would be one mistake away from doing it",
	},
	{
		Name: "how the contract is written down knows only the contract",
		From: []string{"./enclave/frame"},
		Only: []string{"./enclave/wire", "./chain"},
		Why:  "both sides read what the other one says by it",
	},
	{
		Name:  "the contract with the enclave is only types",
		From:  []string{"./enclave/wire"},
		Only:  []string{"./chain"},
		Never: []string{"net", "net/http", "os/exec"},
		Why:   "SDKs and other people's tools read it too",
	},
	{
		Name:  "the signer's refusals are only words",
		From:  []string{"./enclave/refusal"},
		Only:  []string{"./fault"},
		Never: []string{"net", "net/http", "database/sql", "os/exec"},
		Why:   "kits compare with them, and must not get the signer with it",
	},
	{
		Name: "the price signer knows nobody",
		From: []string{"./internal/prices", "./cmd/railkit-prices"},
		Only: []string{"./chain", "./enclave/wire", "./internal/child/...", "./internal/keyfile", "./internal/prices"},
		Never: join(nodeClients, outside, []string{
			"database/sql", "./enclave/decide", "./enclave/keystore", "./enclave/client",
		}),
		Why: "it holds a key that values everything: it reads a feed, signs, and serves who asks",
	},
	{
		Name: "the facilitator settles and knows no server",
		From: []string{"./internal/facilitator", "./cmd/railkit-facilitator"},
		Only: join(pureChain, leaves, crashing, []string{
			"./chain/node", "./chain/evm/rpc", "./chain/solana/rpc", "./x402", "./x402/facilitator", "./store/sqlite",
			"./sdk/go",
			"./enclave/wire", "./internal/child/...", "./internal/keyfile", "./internal/facilitator",
		}),
		Never: join(outside, []string{"./api/...", "./kit/...", "./platform/...", "./enclave/client"}),
		Why:   "it takes payments of strangers: it reaches the signer as any customer does, over the API",
	},
	{
		Name: "the sandbox's shops know no server",
		From: []string{"./internal/shops"},
		Only: join(pureChain, leaves, []string{"./x402", "./x402/shop"}),
		Never: join(nodeClients, outside, server, []string{
			"./enclave/...", "./sdk/...", "./internal/facilitator", "database/sql", "os/exec",
		}),
		Why: "they are somebody else's: what they know of a payment is what its buyer and the facilitator say",
	},
	{
		Name: "the sandbox's partner knows no server",
		From: []string{"./fiat/sandbox", "./fiat/sandbox/onchain", "./cmd/railkit-partner"},
		Only: join(pureChain, leaves, crashing, []string{
			"./fiat", "./fiat/sandbox/...", "./chain/node", "./chain/evm/rpc", "./chain/solana/rpc", "./chain/devnet",
			"./store/sqlite", "./internal/child/...",
		}),
		Never: join(outside, []string{"./api/...", "./kit/...", "./platform/...", "./fiat/bridge", "./enclave/..."}),
		Why:   "it is the other side: a mistake that both sides share is one that no test finds",
	},
	{
		Name:  "chains are pure",
		From:  pureChain,
		Only:  join(pureChain, leaves),
		Never: []string{"net", "net/http", "database/sql", "os/exec", "github.com/ethereum/go-ethereum/..."},
		Why:   "the enclave and the server must decode one transaction into one meaning: bytes in, bytes out",
	},
	{
		Name:  "the ledger of the sandbox's Solana is pure",
		From:  []string{"./chain/solana/ledger"},
		Only:  []string{"./chain/solana"},
		Never: []string{"net", "net/http", "database/sql", "os/exec"},
		Why:   "it is held against Solana's own runtime, byte by byte: the same transactions have to make the same accounts",
	},
	{
		Name:  "what nodes of Solana say is judged by arithmetic",
		From:  []string{"./chain/solana/follow"},
		Only:  []string{"./chain", "./chain/node", "./chain/solana"},
		Never: []string{"net", "net/http", "database/sql", "os/exec"},
		Why:   "whether money may be paid again hangs on it: every order of lies and lags can be tried without a node",
	},
	{
		Name:  "the client of Solana's nodes knows the port only",
		From:  []string{"./chain/solana/rpc"},
		Only:  []string{"./chain", "./chain/node", "./chain/solana", "./chain/solana/follow"},
		Never: join(server, []string{"database/sql", "./chain/solana/ledger", "./chain/solana/localnet"}),
		Why:   "it reads what strangers say, and must not think with the chain that its tests ask",
	},
	{
		Name: "the sandbox's Solana stands alone",
		From: []string{"./chain/solana/localnet"},
		Only: []string{"./chain", "./chain/solana", "./chain/solana/ledger", "./internal/child/..."},
		Never: join(server, []string{
			"database/sql", "./enclave/...", "./chain/evm/rpc", "./chain/solana/rpc", "./chain/devnet/...",
		}),
		Why: "it is other people's: a mistake that it shares with those who read it is one that no test finds",
	},
	{
		Name:  "the client of Tron's nodes knows the port only",
		From:  []string{"./chain/tron/rpc"},
		Only:  []string{"./chain", "./chain/evm", "./chain/node", "./chain/tron"},
		Never: join(server, []string{"database/sql", "./chain/tron/localnet"}),
		Why:   "it reads what strangers say, and must not think with the chain that its tests ask",
	},
	{
		Name: "the sandbox's Tron stands alone",
		From: []string{"./chain/tron/localnet"},
		Only: []string{
			"./chain", "./chain/evm", "./chain/tron", "./chain/devnet/contracts", "./internal/child/...",
		},
		Never: join(server, []string{"./enclave/...", "./chain/evm/rpc", "./chain/devnet", "./chain/devnet/node"}),
		Why:   "it is other people's: a mistake that it shares with those who read it is one that no test finds",
	},
	{
		Name: "contracts run in the sandbox alone",
		From: []string{"./..."},
		Except: join(harnesses, []string{
			"./chain/devnet/...", "./chain/tron/localnet", "./cmd/railkit-devnet",
		}),
		Never: []string{"github.com/ethereum/go-ethereum/core/vm"},
		Why:   "a machine for other people's code belongs in no program that has keys or money",
	},
	{
		Name:  "the protocol of payments knows no platform",
		From:  []string{"./x402/..."},
		Only:  join(pureChain, leaves, []string{"./x402/..."}),
		Never: join(nodeClients, outside, server, []string{"./enclave/...", "database/sql", "os/exec"}),
		Why: "it reads what strangers send, for buyers, shops and facilitators alike: " +
			"what it cannot reach, no header can, and a shop of somebody else's can link it",
	},
	{
		Name:  "the port of the nodes is only words",
		From:  []string{"./chain/node"},
		Only:  []string{"./chain"},
		Never: []string{"net", "net/http", "database/sql", "github.com/ethereum/go-ethereum/..."},
		Why:   "kits and the watcher import it, and must not get a client with it",
	},
	{
		Name:  "exchanges are asked through the port of the nodes",
		From:  []string{"./chain/exchange"},
		Only:  join(pureChain, []string{"./chain/node", "./fault"}),
		Never: []string{"net", "net/http", "database/sql", "github.com/ethereum/go-ethereum/..."},
		Why:   "a price is a node's word: what is made of it is pure, and the chain holds the trade to it",
	},
	{
		Name:  "the partner's port is only words",
		From:  []string{"./fiat"},
		Only:  leaves,
		Never: []string{"net/http", "database/sql"},
		Why:   "kits import it, and must not get a client with it",
	},
	{
		Name:  "a calendar is arithmetic",
		From:  []string{"./fiat/calendar"},
		Only:  []string{"./fiat"},
		Never: []string{"net/http", "database/sql", "os/exec"},
		Why:   "what it answers depends on nothing but the instant that it is asked about, so that a test can try every day",
	},
	{
		Name:  "a kit is told who calls",
		From:  []string{"./kit/..."},
		Never: join(outside, []string{"./platform/session/...", "./platform/team/...", "./platform/notify/..."}),
		Why: "a principal is all that it may know of keys and sessions; " +
			"one that asks for more answers members and keys in different ways",
	},
	{
		Name:  "what every call passes through asks nobody",
		From:  []string{"./platform/auth", "./platform/command", "./platform/audit", "./platform/idempotency"},
		Never: join(outside, []string{"net/http"}),
		Why: "rights, the record and what happens once are decided by what they are given, " +
			"so that tests can give them anything",
	},
	{
		Name:  "the platform knows no kit",
		From:  []string{"./platform/..."},
		Only:  join(leaves, []string{"./rest", "./chain/node", "./platform/...", "./job"}),
		Never: []string{"database/sql", "./kit/...", "./store/..."},
		Why:   "keys, limits and idempotency serve every kit alike",
	},
	{
		Name:  "what asks strangers is judged alone",
		From:  []string{"./platform/fetch"},
		Only:  []string{"./fault"},
		Never: []string{"database/sql", "os/exec"},
		Why: "which addresses a stranger can have the server ask is decided in this one folder, " +
			"and whoever reviews that has to read no other",
	},
	{
		Name: "Redis counts calls and holds nothing else",
		From: []string{"./api/...", "./enclave/...", "./job/...", "./kit/...", "./platform/...", "./sdk/...",
			"./store/...", "./web/..."},
		Except: []string{"./platform/ratelimit/redislimit"},
		Never:  []string{"github.com/gomodule/redigo/..."},
		Why: "what must not be forgotten is in the database; " +
			"a Redis that loses its memory may cost a minute's counts",
	},
	{
		Name: "what is measured is told in one package",
		From: []string{"./..."},
		Except: join(harnesses, []string{
			"./internal/metrics", "./internal/app", "./cmd/railkit", "./cmd/railkit/internal/...", "./docs",
		}),
		Never: []string{"github.com/prometheus/..."},
		Why: "kits and the platform have hooks and snapshots that anybody can read; " +
			"and the signer, above all, links nobody who opens a port",
	},
	{
		Name:  "leaves stand alone",
		From:  leaves,
		Only:  []string{"./money"},
		Never: []string{"net", "net/http", "database/sql", "os/exec"},
		Why:   "everything imports them, the enclave too",
	},
	{
		Name:  "the bodies of the API are only words",
		From:  []string{"./rest"},
		Only:  []string{"./rest"},
		Never: []string{"net", "net/http", "database/sql", "os/exec", "github.com/danielgtaylor/huma/..."},
		Why:   "server and SDK share them: what they imported, every user of the SDK would link",
	},
	{
		Name:  "a partner's client knows nobody here",
		From:  []string{"./fiat/bridge"},
		Only:  join(leaves, []string{"./fiat", "./fiat/bank"}),
		Never: []string{"database/sql", "os/exec"},
		Why:   "bank accounts pass through it, and the partner's answers: it keeps nothing and decides nothing",
	},
	{
		Name: "the HTTP edge knows kits and the platform",
		From: []string{"./api/..."},
		Only: join(pureChain, leaves, crashing, []string{
			"./api/...", "./rest", "./kit/...", "./platform/...", "./enclave/wire", "./enclave/refusal", "./fiat",
		}),
		Never: join(nodeClients, []string{"database/sql", "./store/..."}),
		Why:   "an operation asks its kit; one that reads a table or a node by itself goes around the kit's rules",
	},
	{
		Name: "rooms of the API do not know each other",
		From: apiRooms,
		Only: join(pureChain, leaves, []string{
			"./api/edge/...", "./rest", "./kit/...", "./platform/...", "./enclave/wire", "./fiat",
		}),
		Why: "who changes an operation builds its room and no other; what two rooms need is in the edge",
	},
	{
		Name:  "the edge of the API knows no room",
		From:  []string{"./api/edge/..."},
		Never: apiRooms,
		Why:   "every room is built on it: one that it knew would be built with each of them",
	},
	{
		Name:  "the ceremony page stands alone",
		From:  []string{"./web/ceremony", "./chain/page", "./chain/solana/page", "./chain/tron/page"},
		Only:  []string{"./chain/page", "./chain/solana/page", "./chain/tron/page"},
		Never: []string{"database/sql", "os/exec"},
		Why:   "it is hashed, audited and served from elsewhere by itself",
	},
	{
		Name:  "the invites' page stands alone",
		From:  []string{"./web/invite"},
		Only:  []string{"./web/invite"},
		Never: []string{"database/sql", "os/exec"},
		Why:   "it is files and their headers, to be judged by themselves",
	},
	{
		Name:  "the widget stands alone",
		From:  []string{"./sdk/widget"},
		Only:  []string{"./sdk/widget"},
		Never: []string{"net", "net/http", "database/sql", "os/exec"},
		Why:   "it is one file for pages of anybody, to be judged by itself",
	},
	{
		Name:  "the gallery of widgets stands alone",
		From:  []string{"./web/gallery"},
		Only:  []string{"./web/gallery", "./sdk/widget"},
		Never: []string{"database/sql", "os/exec"},
		Why:   "it is files and their headers, and shows the widget as pages of others have it",
	},
	{
		Name:  "a job is only words",
		From:  []string{"./job"},
		Only:  []string{"./job"},
		Never: []string{"database/sql", "net", "github.com/riverqueue/..."},
		Why:   "kits declare their jobs with it, and must not get a queue with it",
	},
	{
		Name:  "the queue knows no kit",
		From:  []string{"./job/queue"},
		Only:  []string{"./job", "./requestid"},
		Never: join(nodeClients, []string{"./store/...", "./api/...", "./kit/...", "./platform/..."}),
		Why:   "a job is a hint; what it does is a kit's, and a new kind of job needs nothing of the queue",
	},
	{
		Name:  "the database decides nothing",
		From:  []string{"./store/..."},
		Never: join(nodeClients, []string{"./api/...", "./job/queue", "./internal/app/..."}),
		Why:   "rules that live in SQL adapters would have to be written once for each engine",
	},
	{
		Name:  "what every kit's rows stand on knows no kit",
		From:  []string{"./store/internal/sqldb", "./store/platform"},
		Never: []string{"./kit/..."},
		Why:   "transactions, claims and the record are the same for all; a kit's words in them would be every kit's",
	},
	{
		Name: "the sandbox's chain stays in its own process",
		From: []string{"./..."},
		Except: []string{
			"./cmd/railkit-devnet", "./chain/devnet/node/...",
		},
		Never: []string{"github.com/ethereum/go-ethereum/core", "github.com/ethereum/go-ethereum/core/txpool",
			"github.com/ethereum/go-ethereum/miner"},
		Why: "it is large, and the race detector runs on all packages but these",
	},
	{
		Name: "nobody links a node with peers",
		From: []string{"./..."},
		Never: []string{"github.com/ethereum/go-ethereum/eth", "github.com/ethereum/go-ethereum/eth/catalyst",
			"github.com/ethereum/go-ethereum/eth/filters", "github.com/ethereum/go-ethereum/node",
			"github.com/ethereum/go-ethereum/ethdb/pebble"},
		Why: "peers, two more databases and what they bring along were a fifth of a cold build, and nobody used them",
	},
	{
		Name:  "the SDK links no server",
		From:  []string{"./sdk/go/..."},
		Only:  join(pureChain, []string{"./sdk/go/...", "./rest", "./enclave/wire", "./fault", "./x402"}),
		Never: join(server, nodeClients, []string{"database/sql", "github.com/ethereum/go-ethereum/..."}),
		Why:   "who imports the SDK gets a client, not a platform",
	},
	{
		Name: "models' callers are in one program",
		From: []string{"./..."},
		Except: join(harnesses, []string{
			"./internal/mcpserver", "./cmd/railkit", "./cmd/railkit/internal/mcp",
		}),
		Never: []string{"github.com/modelcontextprotocol/..."},
		Why:   "what reads a model's words is in nothing that signs, settles or is linked by the API",
	},
	{
		Name:  "a model's server is a client",
		From:  []string{"./internal/mcpserver"},
		Only:  []string{"./sdk/go", "./chain", "./enclave/wire"},
		Never: join(server, nodeClients, []string{"database/sql"}),
		Why:   "it can do what the agent's secret can, and nothing else: whoever reviews it reads one client",
	},
	{
		Name:  "nobody builds on commands",
		From:  []string{"./..."},
		Never: []string{"./cmd/..."},
		Except: []string{
			"./cmd/...",
		},
		Why: "commands wire; they hold nothing that another package could want",
	},
	{
		Name:   "test harnesses stay in tests",
		From:   []string{"./..."},
		Except: harnesses,
		Never: join(harnesses, []string{
			"github.com/chromedp/...", "pgregory.net/rapid", "github.com/descope/virtualwebauthn",
			"github.com/rogpeppe/go-internal/testscript", "github.com/evanw/esbuild/...",
		}),
		Why: "a program that ships a test helper ships its shortcuts",
	},
}
