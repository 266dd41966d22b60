package rest

// WalletTransaction is a transaction as a wallet's history lists it.
type WalletTransaction struct {
	ID           string        `json:"id"`
	TxHash       string        `json:"txHash"`
	Type         string        `json:"type" enum:"send,receive"`
	Amount       string        `json:"amount"`
	TokenSymbol  string        `json:"tokenSymbol"`
	From         string        `json:"from"`
	To           string        `json:"to"`
	Counterparty string        `json:"counterparty"`
	Payee        *NamedPayee   `json:"payee,omitempty" doc:"Who the counterparty is, by the book of payees as the database has it now"`
	LooksLike    []Resemblance `json:"looksLike,omitempty" doc:"The counterparty is not these, and begins and ends like them: somebody may have made its address to be copied by mistake. Do not pay to it"`
	Network      string        `json:"network"`
	Status       string        `json:"status" enum:"pending,confirmed,failed" doc:"Of what came in: pending until it is as deep as its network wants, and while who issues its token has changed (Solana); failed if a reorg took it away and it was not mined again"`
	BlockNumber  int64         `json:"blockNumber,omitempty"`
	Timestamp    string        `json:"timestamp" format:"date-time" doc:"Of what came in: when it was first seen"`
}

// PrepareWalletRequest asks for a new wallet.
type PrepareWalletRequest struct {
	WalletName        string `json:"walletName" minLength:"1" maxLength:"100"`
	Chain             string `json:"chain,omitempty" doc:"Also makes the first address, on this network"`
	SubOrganizationID string `json:"subOrganizationId,omitempty" doc:"Whose wallet; needed where the workspace has several sub-organizations"`
	ReturnTo
}

// PrepareAccountRequest asks for a further address of a wallet.
type PrepareAccountRequest struct {
	WalletID string `json:"walletId,omitempty" doc:"Needed where the workspace has several wallets"`
	Chain    string `json:"chain"`
	Name     string `json:"name,omitempty" maxLength:"100"`
	Path     string `json:"path,omitempty" maxLength:"80" doc:"BIP-32 path; default the next free m/44'/60'/i'/0/0"`
	ReturnTo
}

// AgentWallet says where an agent's money is.
type AgentWallet struct {
	AgentID     string               `json:"agentId" format:"uuid"`
	WalletID    string               `json:"walletId"`
	Address     string               `json:"address" doc:"The wallet's first; networks has that of each"`
	ExplorerURL string               `json:"explorerUrl,omitempty" doc:"Of the first network that has an explorer"`
	Networks    []AgentWalletNetwork `json:"networks" doc:"Those on which the agent pays"`
}

// AgentWalletNetwork is the wallet on one network.
type AgentWalletNetwork struct {
	Network      string `json:"network"`
	Name         string `json:"name"`
	ChainID      uint64 `json:"chainId,omitempty" doc:"Absent where transactions name no chain, as on Solana"`
	Address      string `json:"address,omitempty" doc:"Where the agent pays from. Absent where its wallet has no account for the network: its owner adds one by POST /v1/signing/wallets/accounts/prepare with walletId"`
	TokenAddress string `json:"tokenAddress" doc:"Of USDC"`
	ExplorerURL  string `json:"explorerUrl,omitempty" doc:"Page of the address; absent where the network has no explorer, as the sandbox's devnet"`
}

// AgentAddress is where an agent pays from on a network.
type AgentAddress struct {
	Network string `json:"network"`
	Address string `json:"address,omitempty" doc:"Absent where its wallet has no account for the network"`
}

// AgentAddresses are where an agent pays from.
type AgentAddresses struct {
	Addresses []AgentAddress `json:"addresses" doc:"Where it pays from, on each network on which it pays"`
}

// AgentBalance is what an agent could spend.
type AgentBalance struct {
	AgentID     string                `json:"agentId" format:"uuid"`
	Address     string                `json:"address" doc:"The wallet's first; networks has that of each"`
	BalanceUSDC string                `json:"balanceUSDC" doc:"On all the networks listed, exactly"`
	Networks    []AgentNetworkBalance `json:"networks" doc:"Those on which the agent pays and its wallet has an account"`
}

// AgentNetworkBalance is what an agent has on one network, by the network's node.
type AgentNetworkBalance struct {
	Network     string `json:"network"`
	ChainID     uint64 `json:"chainId,omitempty" doc:"Absent where transactions name no chain, as on Solana"`
	Address     string `json:"address"`
	BalanceUSDC string `json:"balanceUSDC"`
	Native      string `json:"native" doc:"For network fees, and on Solana for accounts of those who are paid, in units of the coin"`
	NativeCoin  string `json:"nativeCoin"`
}

// AgentWalletRequest is what an agent asks for when it makes a wallet. The signer reads these very bytes, as the agent
// signed them.
type AgentWalletRequest struct {
	WalletName string               `json:"walletName,omitempty" maxLength:"100" doc:"No other wallet of the sub-organization has it; absent: one is made up"`
	Accounts   []AgentWalletAccount `json:"accounts,omitempty" maxItems:"20" doc:"Absent: one for each kind of the networks on which the agent pays"`
}

// AgentWalletAccount is an address that a wallet shall have.
type AgentWalletAccount struct {
	Curve         string `json:"curve" enum:"CURVE_SECP256K1,CURVE_ED25519"`
	PathFormat    string `json:"pathFormat" enum:"PATH_FORMAT_BIP32"`
	Path          string `json:"path" minLength:"1" maxLength:"80" doc:"Such as m/44'/60'/0'/0/0, or m/44'/501'/0'/0' on Solana"`
	AddressFormat string `json:"addressFormat" minLength:"1" maxLength:"40" doc:"ADDRESS_FORMAT_ETHEREUM, for all EVM networks, or ADDRESS_FORMAT_SOLANA"`
}

// AgentMadeWallet is a wallet that an agent made. It belongs to the agent's sub-organization: its passkeys pay from it,
// and the agent does not.
type AgentMadeWallet struct {
	WalletID   string   `json:"walletId"`
	ID         string   `json:"wallet_id" doc:"The same as walletId"`
	WalletName string   `json:"walletName"`
	Addresses  []string `json:"addresses" doc:"In the order of accounts"`
	CreatedAt  string   `json:"createdAt" format:"date-time"`
	Proof      Proof    `json:"proof"`
}

// TokenBalance is what an address has of a token.
type TokenBalance struct {
	Address      string `json:"address"`
	Chain        string `json:"chain" doc:"Slug of the network"`
	ChainID      uint64 `json:"chainId"`
	Symbol       string `json:"symbol"`
	TokenAddress string `json:"tokenAddress"`
	Decimals     int    `json:"decimals"`
	Balance      string `json:"balance" doc:"In the token's smallest unit: 1000000 is 1 USDC"`
	Formatted    string `json:"formatted" doc:"The same as a decimal: 1"`

	OtherAccounts []TokenAccount `json:"otherAccounts,omitempty" doc:"On Solana: other token accounts of the address, the fullest first, at most 20. Nothing in them is part of balance, and nobody is credited with what comes to them"`
}

// TokenAccount is an account of a token that payments do not go to.
type TokenAccount struct {
	Account   string `json:"account"`
	Balance   string `json:"balance" doc:"In the token's smallest unit"`
	Formatted string `json:"formatted" doc:"The same as a decimal"`
}

// WalletBalances is what a wallet has.
type WalletBalances struct {
	WalletID         string            `json:"walletId" doc:"The enclave's id of the wallet"`
	AddressesLeftOut int               `json:"addressesLeftOut" doc:"How many of the wallet's addresses this is not about: it is about the 50 oldest; ask about another one with address" example:"0"`
	Networks         []NetworkBalances `json:"networks" doc:"Those that have a node, and on which the wallet has an address"`
}

// NetworkBalances is what a wallet has on one network.
type NetworkBalances struct {
	Chain    string          `json:"chain" doc:"Slug of the network"`
	Name     string          `json:"name" doc:"Full name of the network" example:"Base Sepolia"`
	ChainID  uint64          `json:"chainId" doc:"0 where the network has none, as on Solana"`
	AsOf     string          `json:"asOf" format:"date-time" doc:"When the node answered, or was found not to: some seconds ago at most"`
	Error    *NetworkError   `json:"error,omitempty" doc:"Why nothing is known of this network now. The balances are empty then, which does not mean that there is nothing"`
	Balances []WalletBalance `json:"balances" doc:"Of each address the network's own coin and each listed stablecoin, also where there is none of it"`
}

// NetworkError is why a network's balances are not known.
type NetworkError struct {
	Code    string `json:"code" doc:"As in docs/errors.md" example:"node_unreachable"`
	Message string `json:"message" example:"The network's node does not answer"`
}

// WalletBalance is what an address has of one asset.
type WalletBalance struct {
	Address      string `json:"address"`
	Symbol       string `json:"symbol"`
	TokenAddress string `json:"tokenAddress,omitempty" doc:"The token's contract or mint. Absent for the network's own coin"`
	Decimals     int    `json:"decimals"`
	Balance      string `json:"balance" doc:"In the smallest unit: 1000000 is 1 USDC" example:"1500000"`
	Formatted    string `json:"formatted" doc:"The same as a decimal"`
}

// TokenMovement is a transfer of a token from or to an address.
type TokenMovement struct {
	TxHash      string `json:"txHash"`
	Chain       string `json:"chain"`
	Symbol      string `json:"symbol"`
	Direction   string `json:"direction" enum:"in,out" doc:"out also where the address paid itself"`
	From        string `json:"from"`
	To          string `json:"to"`
	Amount      string `json:"amount" doc:"In the token's smallest unit"`
	Formatted   string `json:"formatted" doc:"The same as a decimal"`
	Account     string `json:"account,omitempty" doc:"On Solana: the receiver's token account, where it is not the one that payments go to; nobody is credited with it"`
	BlockNumber int64  `json:"blockNumber"`
	Timestamp   string `json:"timestamp" format:"date-time" doc:"When the block was made"`
}
