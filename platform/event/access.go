package event

import (
	"slices"
	"strings"

	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
)

// right is what a caller must have to read an object, and so the events about it.
type right struct {
	access auth.Access
	module auth.Module // zero: none
}

// rights are those of the operations that read the same objects.
var rights = map[string]right{
	"wallet": {auth.AccessRead, auth.Signing}, "address": {auth.AccessRead, auth.Signing},
	"transfer": {auth.AccessRead, auth.Signing}, "transaction": {auth.AccessRead, auth.Signing},
	"approval": {auth.AccessRead, auth.Signing}, "denial": {auth.AccessRead, auth.Signing},
	"ceremony":         {auth.AccessRead, auth.Signing},
	"sub_organization": {auth.AccessRead, auth.Signing}, "passkey": {auth.AccessRead, auth.Signing},
	"recovery": {auth.AccessRead, auth.Signing}, "policy": {auth.AccessRead, auth.Signing},
	"approval_config": {auth.AccessRead, auth.Signing}, "payee": {auth.AccessRead, auth.Signing},

	// Who has agents sees them also while the module is off.
	"agent": {auth.AccessOwnAgentRead, ""}, "x402_payment": {auth.AccessOwnAgentRead, ""},
	"kill_switch": {auth.AccessAgentRead, ""},

	"recipient": {auth.AccessRead, auth.Payout}, "bank_account": {auth.AccessRead, auth.Payout},
	"withdraw_address": {auth.AccessRead, auth.Payout}, "virtual_account": {auth.AccessRead, auth.Payout},
	"deposit_account": {auth.AccessRead, auth.Payout}, "quote": {auth.AccessRead, auth.Payout},
	"order": {auth.AccessRead, auth.Payout}, "drain": {auth.AccessRead, auth.Payout},
	"batch": {auth.AccessRead, auth.Payout},

	"workspace": {auth.AccessManage, ""}, "api_key": {auth.AccessManage, ""},
	"invitation": {auth.AccessManage, ""}, "member": {auth.AccessManage, ""},
}

// may reports whether the caller may read events about objects of a kind.
func may(p auth.Principal, object string) bool {
	r, known := rights[object]
	switch {
	case !known || !p.May(r.access), r.module != "" && !p.HasModule(r.module):
		return false
	}
	return r.module != auth.Payout || p.Verified
}

// Readable lists those of the asked types that the caller may read; none asked: all that there are. A name with .* at
// its end is all types about that kind of object.
func Readable(p auth.Principal, asked []string) (types []Type, err error) {
	for _, name := range asked {
		if !slices.ContainsFunc(Catalogue, func(d Definition) bool { return d.Type.is(name) }) {
			return nil, fault.Field("types", "must be types of the catalogue, such as order.completed or order.*")
		}
	}
	for _, d := range Catalogue {
		wanted := len(asked) == 0 || slices.ContainsFunc(asked, d.Type.is)
		if wanted && may(p, d.Type.Object()) {
			types = append(types, d.Type)
		}
	}
	return types, nil
}

func (t Type) is(name string) bool {
	object, all := strings.CutSuffix(name, ".*")
	return name == string(t) || all && object == t.Object()
}
