package rest

// AgentWallet says where an agent's money is.
type AgentWallet struct {
	AgentID     string               `json:"agentId" format:"uuid"`
	WalletID    string               `json:"walletId"`
	Address     string               `json:"address" doc:"The same on all its networks"`
	ExplorerURL string               `json:"explorerUrl,omitempty" doc:"Of the first network that has an explorer"`
	Networks    []AgentWalletNetwork `json:"networks" doc:"Those on which the agent pays"`
}

// AgentWalletNetwork is the wallet on one network.
type AgentWalletNetwork struct {
	Network      string `json:"network"`
	Name         string `json:"name"`
	ChainID      uint64 `json:"chainId"`
	TokenAddress string `json:"tokenAddress" doc:"Of USDC"`
	ExplorerURL  string `json:"explorerUrl,omitempty" doc:"Page of the address; absent where the network has no explorer, as the sandbox's devnet"`
}

// AgentBalance is what an agent could spend.
type AgentBalance struct {
	AgentID     string                `json:"agentId" format:"uuid"`
	Address     string                `json:"address"`
	BalanceUSDC string                `json:"balanceUSDC" doc:"On all the networks listed, exactly"`
	Networks    []AgentNetworkBalance `json:"networks"`
}

// AgentNetworkBalance is what an agent has on one network, by the network's node.
type AgentNetworkBalance struct {
	Network     string `json:"network"`
	ChainID     uint64 `json:"chainId"`
	BalanceUSDC string `json:"balanceUSDC"`
	Native      string `json:"native" doc:"For network fees, in units of the coin"`
	NativeCoin  string `json:"nativeCoin"`
}
