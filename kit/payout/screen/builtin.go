package screen

import (
	"errors"
	"strings"
)

// sandboxList is what the sandbox denies where no file is named. The address is the tenth account of the mnemonic
// "test test ... junk", which development chains share: its key is public, so that anybody can send from it.
const sandboxList = `
sandbox-1 name    Denied Person
sandbox-2 name    Denied Company
sandbox-3 address 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720
`

// Sandbox is the sandbox's own deny list.
func Sandbox() (*DenyList, error) {
	d, err := Load(strings.NewReader(sandboxList))
	if err != nil {
		return nil, errors.Join(errors.New("the sandbox's own deny list cannot be read"), err)
	}
	return d, nil
}
