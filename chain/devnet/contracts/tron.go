package contracts

import _ "embed"

//go:embed SandboxTRC20.json
var trc20 []byte

// TRC20 gives the contract of every listed token of the sandbox's Tron.
func TRC20() (*Contract, error) { return read(trc20) }
