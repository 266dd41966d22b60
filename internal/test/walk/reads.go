package walk

import (
	"maps"
	"strings"
)

// Reads has for each operation that changes nothing here and names something by
// its id a request that finds it.
var Reads = map[string]func(*World) Request{
	"getApiKey":      getAPIKey,
	"getAgentStatus": getAgentStatus,

	"getWebhookEndpoint":    func(w *World) Request { return hooks(w, "GET", webhookPath(w), nil) },
	"listWebhookDeliveries": func(w *World) Request { return hooks(w, "GET", webhookPath(w)+"/deliveries", nil) },
	"getWebhookDelivery": func(w *World) Request {
		_, path := delivery(w)
		return hooks(w, "GET", path, nil)
	},

	"getAgent":       func(w *World) Request { return w.get(w.agentPath()) },
	"listAgents":     func(w *World) Request { return w.get(agentsPath) },
	"listAgentTools": func(w *World) Request { return w.get(w.agentPath() + "/tools") },
	"getSkill":       func(w *World) Request { return w.get(w.skillPath()) },
	"getSkillHealth": func(w *World) Request { return w.get(w.skillPath() + "/health") },
	"testSkill":      func(w *World) Request { return w.post(w.skillPath()+"/test", nil) },

	"getAgentBudget":        func(w *World) Request { return w.get(w.agentPath() + "/budget") },
	"getAgentAnalytics":     func(w *World) Request { return w.get(w.agentPath() + "/analytics") },
	"getAgentWallet":        func(w *World) Request { return w.get(w.agentPath() + "/wallet") },
	"getAgentWalletBalance": func(w *World) Request { return w.get(w.agentPath() + "/wallet-balance") },
	"getAgentExposure":      func(w *World) Request { return w.get(w.agentPath() + "/exposure") },
	"listAgentAudit":        func(w *World) Request { return w.get(w.agentPath() + "/audit") },
	"listAgentApprovals":    func(w *World) Request { return w.get(agentsPath + "/approvals") },
	"listX402Payments":      listX402Payments,
	"getX402Payment":        getX402Payment,

	"getTokenBalance": func(w *World) Request { return w.get(balancePath(w, "token") + "&symbol=USDC") },
	"getWalletBalances": func(w *World) Request {
		return w.get(walletPath + "/" + w.Owner().Wallet.WalletID + "/balances")
	},
	"listTokenActivity": func(w *World) Request { return w.get(balancePath(w, "activity")) },

	"getLendingStatus":             getLendingStatus,
	"makeSupply":                   unsigned(lendingPath + "supply"),
	"makeAvaxSupply":               avax(lendingPath + "supply-avax"),
	"makeAvaxWithdrawal":           avax(lendingPath + "withdraw-avax"),
	"makeSupplyByProtocol":         unsigned("/v1/protocols/lending/supply"),
	"makeAvaxSupplyByProtocol":     avax("/v1/protocols/lending/supply-avax"),
	"makeAvaxWithdrawalByProtocol": avax("/v1/protocols/lending/withdraw-avax"),

	"buildNativeTransfer": func(w *World) Request {
		return w.post(buildersPath+"transfer-native", button(w, map[string]any{"chainId": 43113}))
	},
	"buildSwap": func(w *World) Request {
		return w.post(buildersPath+"swap", map[string]any{
			"protocol": "lfj", "chainName": "fuji", "fromToken": "USDC", "toToken": "native", "slippageTolerance": 0.5,
			"url": "https://app.example.com",
		})
	},
	"buildCrosschainTransfer": func(w *World) Request {
		return w.post(buildersPath+"crosschain-transfer", crossing(w))
	},
	"buildCrosschainBridge": func(w *World) Request { return w.post(buildersPath+"crosschain-bridge", crossing(w)) },

	"getWallet":       func(w *World) Request { return w.get(walletPath + "/" + w.Owner().Wallet.WalletID) },
	"getWalletDetail": func(w *World) Request { return w.get("/v1/wallets/" + w.Owner().Wallet.WalletID) },
	"listWalletTransactions": func(w *World) Request {
		return w.get(walletPath + "/" + w.Owner().Wallet.WalletID + "/transactions")
	},
	"listDenials": func(w *World) Request {
		return w.get(walletPath + "/" + w.Owner().Wallet.WalletID + "/denials")
	},
	"getOutstanding": func(w *World) Request { return w.get(w.policy() + "/outstanding") },
	"getPayee":       func(w *World) Request { return w.get(w.listedPayee()) },
	"listAddresses": func(w *World) Request {
		return w.get(walletPath + "/" + w.Owner().Wallet.WalletID + "/addresses")
	},
	"getAddress": func(w *World) Request {
		return w.get(walletPath + "/" + w.Owner().Wallet.WalletID + "/addresses/" + w.Owner().Address.AddressID)
	},
	"listBankAccounts": func(w *World) Request { return w.get(w.recipient() + "/accounts") },
	"getOrder":         func(w *World) Request { return w.get("/v1/orders/" + w.payment().OrderID) },
	"getBatch":         func(w *World) Request { return w.get(w.batch()) },
	"failOrder":        func(w *World) Request { return w.steer("fail", nil) },
	"returnOrder":      func(w *World) Request { return w.steer("return", nil) },
	"delayOrder":       func(w *World) Request { return w.steer("delay", map[string]int{"seconds": 1}) },
	"clearOrder":       func(w *World) Request { return w.steer("clear", nil) },
	"getPaymentStatus": func(w *World) Request {
		return w.get(accountsPath + "/" + w.payment().Reference + "/status")
	},
	"getDepositAccountStatement": func(w *World) Request {
		return w.get(strings.Replace(w.depositAccount(), depositPath, "/v1/payout/statements/deposit-accounts", 1) +
			"?from=2026-11-01&to=2026-11-30")
	},
	"getRecipientStatement": func(w *World) Request {
		return w.get(strings.Replace(w.recipient(), recipientsPath, "/v1/payout/statements/recipients", 1) +
			"?from=2026-11-01&to=2026-11-30")
	},
	"listRecipientOrders": func(w *World) Request { return w.get(w.recipient() + "/orders") },
	"getTransaction":      func(w *World) Request { return w.get(txPath + "/sign/" + w.newTransaction().id) },
	"getApproval":         func(w *World) Request { return w.get(w.approval()) },
	"getBroadcast":        func(w *World) Request { return w.get(txPath + "/broadcast/" + w.held()) },
	"getWithdrawAddress":  func(w *World) Request { return w.get(w.withdrawAddress()) },
	"listDrains":          func(w *World) Request { return w.get(w.withdrawAddress() + "/drains") },
	"getDepositAccount":   func(w *World) Request { return w.get(w.depositAccount()) },
	"listDepositEvents":   func(w *World) Request { return w.get(w.depositAccount() + "/events") },
	"getRecipientInvite": func(w *World) Request {
		path := w.recipient() + "/invite"
		w.must(w.post(path, nil), nil)
		return w.get(path)
	},
}

// steer names an order whose payment the sandbox's partner is to do something with.
func (w *World) steer(act string, body any) Request {
	return w.post("/v1/sandbox/orders/"+w.payment().OrderID+"/"+act, body)
}

func (w *World) get(path string) Request { return w.by("GET", path, nil) }

func balancePath(w *World, what string) string {
	return "/v1/balance/" + what + "?chain=base&address=" + w.Owner().Address.Address
}

const buildersPath = "/v1/action/builders/"

func button(w *World, more map[string]any) map[string]any {
	body := map[string]any{
		"title": "Tip", "description": "A tip", "url": "https://app.example.com/tip",
		"address": w.Owner().Address.Address,
	}
	maps.Copy(body, more)
	return body
}

func crossing(w *World) map[string]any {
	return button(w, map[string]any{"sourceChainId": 43113, "destinationChainId": 84532})
}
