package rest

// LendingTransaction is a transaction for whoever owns the address to sign; the platform keeps nothing of it.
type LendingTransaction struct {
	Success               bool          `json:"success" doc:"true"`
	Message               string        `json:"message" doc:"What the transaction does"`
	Step                  string        `json:"step" enum:"revoke,approve,supply,withdraw" doc:"After revoke and approve, the call is made again once that transaction is mined"`
	SerializedTransaction string        `json:"serializedTransaction" doc:"0x hex of the unsigned transaction (EIP-1559)"`
	GasEstimation         GasEstimation `json:"gasEstimation"`
}

// GasEstimation is what a transaction may cost.
type GasEstimation struct {
	GasLimit      string `json:"gasLimit" doc:"The node's estimate and a fifth more"`
	EstimatedCost string `json:"estimatedCost" doc:"At most, in the network's own coin: 0.0021. Base and Optimism take a fee for the data beside it"`
}

// AvaxSupply is what an address has supplied of the network's own coin.
type AvaxSupply struct {
	AvaxSupply string `json:"avaxSupply" doc:"In whole coins, with the interest until now: 4.000002"`
}

// LendingPositions are what an address has supplied to a pool and owes it, of the tokens that the network lists.
// Dollars are by the pool's own oracle.
type LendingPositions struct {
	TotalSuppliedUSD string            `json:"totalSuppliedUsd" doc:"Of the positions below"`
	TotalBorrowedUSD string            `json:"totalBorrowedUsd" doc:"Of the positions below"`
	HealthFactor     *string           `json:"healthFactor" doc:"The pool's, over all of its tokens: below 1 the collateral may be sold. null: nothing is owed"`
	Supplies         []LendingPosition `json:"supplies"`
	Borrows          []LendingPosition `json:"borrows"`
}

// LendingPosition is an amount of one token.
type LendingPosition struct {
	Symbol       string `json:"symbol"`
	TokenAddress string `json:"tokenAddress"`
	Amount       string `json:"amount" doc:"In whole units, with the interest until now"`
	AmountUSD    string `json:"amountUsd"`
}

// LendingMarkets are the tokens of a network that a pool lends.
type LendingMarkets struct {
	UserState      *LendingAccount  `json:"userState" doc:"null: no userAddress was given"`
	SupplyReserves []LendingReserve `json:"supplyReserves" doc:"Those that take supplies now"`
	AllMarketsData []LendingReserve `json:"allMarketsData" doc:"Every market of the network, also without a position of the address"`
}

// LendingAccount is what a pool says of an address over all of its tokens.
type LendingAccount struct {
	TotalCollateralUSD  string  `json:"totalCollateralUsd"`
	TotalDebtUSD        string  `json:"totalDebtUsd"`
	AvailableBorrowsUSD string  `json:"availableBorrowsUsd"`
	HealthFactor        *string `json:"healthFactor" doc:"null: nothing is owed"`
}

// LendingReserve is a token that a pool lends. Of an address it tells only where userAddress was given.
type LendingReserve struct {
	Symbol              string `json:"symbol"`
	Name                string `json:"name"`
	TokenAddress        string `json:"tokenAddress"`
	Decimals            int    `json:"decimals"`
	SupplyAPY           string `json:"supplyApy" doc:"What supplies earn in a year as a part of one, without compounding: 0.0275"`
	SupplyAPYFormatted  string `json:"supplyApyFormatted" doc:"2.75%"`
	BorrowAPY           string `json:"borrowApy"`
	BorrowAPYFormatted  string `json:"borrowApyFormatted"`
	UserBalance         string `json:"userBalance,omitempty" doc:"Supplied by the address, with interest"`
	UserBalanceUSD      string `json:"userBalanceUsd,omitempty"`
	SuppliableAmount    string `json:"suppliableAmount,omitempty" doc:"What the address has of the token"`
	SuppliableAmountUSD string `json:"suppliableAmountUsd,omitempty"`
	BorrowableAmount    string `json:"borrowableAmount,omitempty" doc:"What the address's collateral and the pool's money allow"`
	BorrowableAmountUSD string `json:"borrowableAmountUsd,omitempty"`
	USDExchangeRate     string `json:"usdExchangeRate" doc:"By the pool's own oracle"`
	CanBeCollateral     bool   `json:"canBeCollateral"`
	CanBeBorrowed       bool   `json:"canBeBorrowed"`
	IsInIsolationMode   bool   `json:"isInIsolationMode"`
}

// LendingChains are the networks with a pool.
type LendingChains struct {
	Mainnets        []LendingChain `json:"mainnets"`
	Testnets        []LendingChain `json:"testnets"`
	TestnetsEnabled bool           `json:"testnetsEnabled" doc:"true in the sandbox, which has no others"`
}

// LendingChain is one of them.
type LendingChain struct {
	ChainID   uint64 `json:"chainId"`
	Name      string `json:"name"`
	IsTestnet bool   `json:"isTestnet"`
}

// LendingHealth says whether lending can be used now.
type LendingHealth struct {
	Status    string `json:"status" enum:"healthy,degraded,unavailable" doc:"degraded: some networks' nodes do not answer; unavailable: none does"`
	Service   string `json:"service"`
	Timestamp int64  `json:"timestamp" doc:"Milliseconds since 1970"`
	Message   string `json:"message"`
}

// LendingStatus is a transaction of lending, as the network's node sees it now.
type LendingStatus struct {
	TransactionID   string `json:"transactionId"`
	Status          string `json:"status" enum:"awaiting_signature,awaiting_approval,pending,broadcast,confirmed,failed,cancelled,expired"`
	TransactionHash string `json:"transactionHash" doc:"Empty until it is signed"`
	BlockNumber     string `json:"blockNumber" doc:"Empty while it is in no block"`
	Confirmations   int64  `json:"confirmations" doc:"Blocks from its own to the newest, both counted"`
}

// AvaxRequest asks for the transaction that supplies or withdraws AVAX.
type AvaxRequest struct {
	UserAddress string `json:"userAddress" minLength:"1" maxLength:"64" doc:"Who signs, and owns what is supplied"`
	Amount      Number `json:"amount" minimum:"0" doc:"In whole coins: 1.5" example:"1.5"`
	ChainID     uint64 `json:"chainId" minimum:"1" doc:"43114, or 43113 in the sandbox" example:"43113"`
}

// AssetSupplyRequest asks for the transaction that supplies any asset of a pool.
type AssetSupplyRequest struct {
	UserAddress  string `json:"userAddress" minLength:"1" maxLength:"64" doc:"Who signs, and owns what is supplied"`
	TokenAddress string `json:"tokenAddress" minLength:"1" maxLength:"64" doc:"Address or symbol of a listed token; the zero address, native or the coin's symbol for the network's own coin"`
	Amount       string `json:"amount" minLength:"1" maxLength:"80" doc:"Decimal, in whole units: 25.50"`
	ChainID      uint64 `json:"chainId" minimum:"1" example:"43113"`
}
