package rest

// Volume is how much of one asset left the users.
type Volume struct {
	ChainID    uint64 `json:"chainId"`
	Asset      string `json:"asset" doc:"native, or the token's contract"`
	Symbol     string `json:"symbol"`
	Decimals   int    `json:"decimals"`
	Amount     string `json:"amount" doc:"In the smallest unit"`
	Formatted  string `json:"formatted" doc:"The amount in whole tokens, such as 1.5"`
	Executions int    `json:"executions"`
}

// RewardEvent is an execution that counts.
type RewardEvent struct {
	MiniAppID   string `json:"miniAppId" format:"uuid"`
	ChainID     uint64 `json:"chainId"`
	TxHash      string `json:"txHash"`
	UserAddress string `json:"userAddress"`
	Type        string `json:"type" enum:"transfer,blockchain,dynamic" doc:"Of the action that was executed"`
	Asset       string `json:"asset" doc:"native, or the token's contract; empty: nothing that is listed left the user"`
	Amount      string `json:"amount" doc:"In the smallest unit"`
	BlockNumber int64  `json:"blockNumber"`
	ReportedAt  string `json:"reportedAt" format:"date-time"`
}

// ReferredMiniApp is what a referrer has brought to a mini app.
type ReferredMiniApp struct {
	MiniAppID  string   `json:"miniAppId" format:"uuid"`
	Name       string   `json:"name"`
	Executions int      `json:"executions"`
	Volume     []Volume `json:"volume"`
}

// RewardStats sums executions up.
type RewardStats struct {
	Executions int      `json:"executions"`
	Volume     []Volume `json:"volume" doc:"Of each asset of each network"`
}

// RewardMetrics is what a referrer has brought.
type RewardMetrics struct {
	Address          string            `json:"address"`
	TotalExecutions  int               `json:"totalExecutions"`
	TotalVolume      *string           `json:"totalVolume" doc:"In whole units of currency. Null where several assets moved, which no number sums up: see stats"`
	Currency         *string           `json:"currency" doc:"Symbol of the one asset that moved; null where none or several did"`
	ReferredMiniApps []ReferredMiniApp `json:"referredMiniApps"`
	TriggerIDs       []string          `json:"triggerIds" doc:"Ids of those mini apps"`
	Stats            RewardStats       `json:"stats"`
	TotalEvents      int               `json:"totalEvents"`
	Events           []RewardEvent     `json:"events" doc:"One page of the executions, newest first"`
}

// MiniAppStats is what is known of a mini app from the chain.
type MiniAppStats struct {
	Executions         int      `json:"executions"`
	Volume             []Volume `json:"volume"`
	Fees               []Volume `json:"fees" doc:"Always empty: no transaction tells what part of it is a fee"`
	Swaps              []Volume `json:"swaps" doc:"What was sold at exchanges"`
	TokensWithoutPrice []string `json:"tokensWithoutPrice" doc:"Symbols of the volume: none of it is valued in another currency"`
	PostHogStats       []string `json:"postHogStats" doc:"Always empty: pages are not measured"`
}

// GlobalStats is of several mini apps.
type GlobalStats struct {
	Volume []Volume `json:"volume"`
	Fees   []Volume `json:"fees" doc:"Always empty, as those of a mini app"`
}

// ExecutionReport is a transaction that executed a mini app.
type ExecutionReport struct {
	MiniAppID       string `json:"miniAppId" maxLength:"64"`
	TxHash          string `json:"txHash" maxLength:"66"`
	UserAddress     string `json:"userAddress" maxLength:"42" doc:"Who executed it: the sender of the transaction, or of the token that it moves"`
	ReferrerAddress string `json:"referrerAddress,omitempty" maxLength:"42" doc:"Who brought the user. Ignored where it is the user or the mini app's own wallet"`
	ChainID         uint64 `json:"chainId" minimum:"1"`
}

// IndexedExecutions is the answer to reports.
type IndexedExecutions struct {
	Indexed   bool              `json:"indexed" doc:"All of them count: each transaction was verified on its network"`
	Processed int               `json:"processed" doc:"How many were taken in, now or before. Reports of the same execution are one"`
	Events    []ExecutionStatus `json:"events"`
}

// ExecutionStatus is what became of a report.
type ExecutionStatus struct {
	MiniAppID string  `json:"miniAppId" format:"uuid"`
	TxHash    string  `json:"txHash"`
	ChainID   uint64  `json:"chainId"`
	State     string  `json:"state" enum:"pending,counted,refused" doc:"pending: not verified yet; counted; refused: it may be reported anew, for another user at once, for the same after an hour"`
	Reason    *string `json:"reason" doc:"Why it was refused"`
}

// Token is one of a list.
type Token struct {
	ChainID  uint64  `json:"chainId"`
	Chain    string  `json:"chain" doc:"Slug of the network"`
	Symbol   string  `json:"symbol"`
	Address  string  `json:"address"`
	Decimals int     `json:"decimals"`
	LogoURI  *string `json:"logoURI" doc:"Null: the platform has none"`
}

// DirectoryEntry is a mini app in the directory.
type DirectoryEntry struct {
	ID            string `json:"id" format:"uuid"`
	Name          string `json:"name"`
	Type          string `json:"type"`
	Description   string `json:"description"`
	Operator      string `json:"operator" doc:"Who runs the mini app"`
	URL           string `json:"url"`
	Host          string `json:"host"`
	SecurityState string `json:"securityState" enum:"trusted,denied" doc:"denied: the operator has switched it off; render nothing of this host"`
}

// NativeTransferButton is a button that pays a network's own coin.
type NativeTransferButton struct {
	ChainID     uint64 `json:"chainId,omitempty" minimum:"1" example:"43113" doc:"The network; required where chain is absent"`
	Chain       string `json:"chain,omitempty" maxLength:"32" doc:"The network by a name such as fuji; required where chainId is absent"`
	Address     string `json:"address" maxLength:"64" doc:"Who is paid"`
	Amount      Number `json:"amount,omitzero" doc:"In whole coins: 0.5, at most 15 digits. Absent: the user says it"`
	Title       string `json:"title" minLength:"1" maxLength:"100"`
	Description string `json:"description" minLength:"1" maxLength:"1000"`
	Icon        string `json:"icon,omitempty" maxLength:"2048" doc:"URL of an image; absent: /favicon.ico of url"`
	URL         string `json:"url" minLength:"1" maxLength:"2048" doc:"Where the widget is; https://, in the sandbox also this machine by http"`
}

// SwapButton is a button that trades one token for another.
type SwapButton struct {
	Protocol          string `json:"protocol" maxLength:"32" doc:"Exchange: uniswap, lfj, pangolin" example:"lfj"`
	ChainName         string `json:"chainName" maxLength:"32" doc:"Name, slug or chain id" example:"fuji"`
	FromToken         string `json:"fromToken" maxLength:"64" doc:"What is sold: address or symbol of a listed token, or native" example:"USDC"`
	ToToken           string `json:"toToken" maxLength:"64" doc:"What is bought, in the same forms" example:"native"`
	RouterAddress     string `json:"routerAddress,omitempty" maxLength:"64" doc:"Must be the exchange's; absent: that one"`
	SlippageTolerance Number `json:"slippageTolerance" minimum:"0.01" maximum:"50" doc:"By how many percent the price may move" example:"0.5"`
	Title             string `json:"title,omitempty" maxLength:"100" doc:"Absent: made of the tokens"`
	Description       string `json:"description,omitempty" maxLength:"1000" doc:"Absent: made of tokens, exchange and network"`
	Icon              string `json:"icon,omitempty" maxLength:"2048" doc:"URL of an image; absent: the one of url"`
	URL               string `json:"url,omitempty" maxLength:"2048" doc:"Where the widget's backend is, which adds the API key and passes a swap on; absent: this API"`
}

// CrosschainButton is a button that pays across networks.
type CrosschainButton struct {
	SourceChainID      uint64 `json:"sourceChainId,omitempty" minimum:"1" example:"43113" doc:"Where the user pays; required where fromChain is absent"`
	FromChain          string `json:"fromChain,omitempty" maxLength:"32" doc:"The same by a name such as fuji; required where sourceChainId is absent"`
	DestinationChainID uint64 `json:"destinationChainId,omitempty" minimum:"1" example:"84532" doc:"Where it arrives; required where toChain is absent"`
	ToChain            string `json:"toChain,omitempty" maxLength:"32" doc:"The same by a name; required where destinationChainId is absent"`
	Address            string `json:"address" maxLength:"64" doc:"Who is paid on the destination"`
	Token              string `json:"token,omitempty" maxLength:"64" doc:"Contract on the source; absent: its own coin"`
	Amount             Number `json:"amount,omitzero" doc:"In whole units, at most 15 digits. Absent: the user says it"`
	Title              string `json:"title" minLength:"1" maxLength:"100"`
	Description        string `json:"description" minLength:"1" maxLength:"1000"`
	Icon               string `json:"icon,omitempty" maxLength:"2048" doc:"URL of an image; absent: /favicon.ico of url"`
	URL                string `json:"url" minLength:"1" maxLength:"2048" doc:"Where the widget is; https://, in the sandbox also this machine by http"`
}

// RecentBlock is what a wallet's transaction may name of a network.
type RecentBlock struct {
	Chain       string           `json:"chain" doc:"Slug of the network"`
	Blockhash   string           `json:"blockhash" doc:"Of a recent block" example:"EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"`
	LastHeight  int64            `json:"lastHeight,omitempty" doc:"Highest block that can have a transaction which names that block; absent where transactions have numbers"`
	Height      int64            `json:"height,omitempty" doc:"Of the newest block, where transactions expire of the newest final one; absent where not every node tells it"`
	Transaction *SeenTransaction `json:"transaction,omitempty" doc:"Where one was asked for"`
}

// SeenTransaction is what became of a transaction, as the network's nodes tell it.
type SeenTransaction struct {
	ID     string `json:"id" example:"5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"`
	Status string `json:"status" enum:"pending,confirmed,failed" doc:"pending: in no block, or not in enough of them; above the lastHeight of its blockhash it never will be"`
}
