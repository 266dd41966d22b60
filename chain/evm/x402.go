package evm

// The proxies of x402 are at one address on every chain. Each is the spender that Permit2 lets take a token, and each
// sends it to the receiver that the owner signed as witness, and nowhere else.
var (
	exactProxy = mustParse("0x402085c248EeA27D92E8b30b2C58ed07f9E20001")
	uptoProxy  = mustParse("0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002")
)

// ExactProxy moves exactly the amount that was signed, whoever asks it to.
func ExactProxy() Address { return exactProxy }

// UptoProxy moves at most the amount that was signed, and only for the facilitator that was signed.
func UptoProxy() Address { return uptoProxy }

const (
	exactProxyPermit = "(" + permit2Permitted + ",uint256,uint256)"
	exactWitness     = "(address,uint256)"
	uptoWitness      = "(address,address,uint256)"
)

var (
	exactProxyCalls = map[string]reader{
		"settle(" + exactProxyPermit + ",address," + exactWitness + ",bytes)": func(r *reading, c call, a []abiValue) bool {
			r.settled(c, a[0].items[0], a[1].address(), a[2].items[0].address(), a[0].items[0].items[1])
			return true
		},
	}
	uptoProxyCalls = map[string]reader{
		"settle(" + exactProxyPermit + ",uint256,address," + uptoWitness + ",bytes)": func(
			r *reading, c call, a []abiValue,
		) bool {
			r.settled(c, a[0].items[0], a[2].address(), a[3].items[0].address(), a[1])
			return true
		},
	}
)

func (r *reading) settled(c call, permitted abiValue, owner, to Address, amount abiValue) {
	r.fungible(c, handedIn(owner, to), permitted.items[0].address(), amount.number())
}

// isProxy tells the contracts whose transfers of a token are as certain as the token's own.
func isProxy(a Address) bool { return a == permit2 || a == exactProxy || a == uptoProxy }
