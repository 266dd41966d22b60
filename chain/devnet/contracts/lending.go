package contracts

import _ "embed"

// The contracts of the lending pool, which SandboxLendingPool.sol describes.
var (
	//go:embed SandboxLendingPool.json
	lendingPool []byte
	//go:embed SandboxAToken.json
	aToken []byte
	//go:embed SandboxDebtToken.json
	debtToken []byte
	//go:embed SandboxLendingGateway.json
	lendingGateway []byte
)

// LendingPool gives the pool.
func LendingPool() (*Contract, error) { return read(lendingPool) }

// AToken gives the token that suppliers of one asset hold.
func AToken() (*Contract, error) { return read(aToken) }

// DebtToken gives the contract that knows what is owed of one asset.
func DebtToken() (*Contract, error) { return read(debtToken) }

// LendingGateway gives the contract through which the network's own coin gets to the pool.
func LendingGateway() (*Contract, error) { return read(lendingGateway) }
