package evm

// permit2 is Uniswap's contract, at one address on every chain: who has approved
// a token to it grants allowances there, for a time, and by signatures. When an
// allowance ends is not among its effects: it is exposure until then. Of a signed
// one TypedData.End tells.
var permit2 = mustParse("0x000000000022D473030F116dDEE9F6B43aC78BA3")

// What Permit2's functions take: details are (token, amount, expiration, nonce),
// permitted is (token, amount), and a transfer's details are (to, amount).
const (
	permit2Details   = "(address,uint160,uint48,uint48)"
	permit2Permitted = "(address,uint256)"
	permit2Wanted    = "(address,uint256)"
)

var permit2Calls = map[string]reader{
	"approve(address,address,uint160,uint48)": permit2Approve,
	"permit(address,(" + permit2Details +
		",address,uint256),bytes)": permit2Single,
	"permit(address,(" + permit2Details +
		"[],address,uint256),bytes)": permit2Batch,
	"transferFrom(address,address,uint160,address)":     permit2Transfer,
	"transferFrom((address,address,uint160,address)[])": permit2Transfers,
	"permitTransferFrom((" + permit2Permitted + ",uint256,uint256)," + permit2Wanted +
		",address,bytes)": permit2Signed,
	"permitTransferFrom((" + permit2Permitted + "[],uint256,uint256)," + permit2Wanted +
		"[],address,bytes)": permit2SignedBatch,
	"permitWitnessTransferFrom((" + permit2Permitted + ",uint256,uint256)," + permit2Wanted +
		",address,bytes32,string,bytes)": permit2Signed,
	"permitWitnessTransferFrom((" + permit2Permitted + "[],uint256,uint256)," + permit2Wanted +
		"[],address,bytes32,string,bytes)": permit2SignedBatch,
}

func permit2Approve(r *reading, c call, a []abiValue) bool {
	r.fungible(c, approved(c.from, a[1].address()), a[0].address(), a[2].number())
	return true
}

func permit2Single(r *reading, c call, a []abiValue) bool {
	r.detail(c, a[0].address(), a[1].items[1].address(), a[1].items[0])
	return true
}

func permit2Batch(r *reading, c call, a []abiValue) bool {
	for _, d := range a[1].items[0].items {
		r.detail(c, a[0].address(), a[1].items[1].address(), d)
	}
	return true
}

func (r *reading) detail(c call, owner, spender Address, d abiValue) {
	r.fungible(c, approved(owner, spender), d.items[0].address(), d.items[1].number())
}

func permit2Transfer(r *reading, c call, a []abiValue) bool {
	r.fungible(c, transferred(a[0].address(), a[1].address()), a[3].address(), a[2].number())
	return true
}

func permit2Transfers(r *reading, c call, a []abiValue) bool {
	for _, t := range a[0].items {
		permit2Transfer(r, c, t.items)
	}
	return true
}

// permit2Signed takes what is wanted, which the contract holds against what was
// permitted.
func permit2Signed(r *reading, c call, a []abiValue) bool {
	r.wanted(c, a[2].address(), a[0].items[0], a[1])
	return true
}

func permit2SignedBatch(r *reading, c call, a []abiValue) bool {
	permitted, wanted := a[0].items[0].items, a[1].items
	if len(permitted) != len(wanted) {
		return false
	}
	for i := range permitted {
		r.wanted(c, a[2].address(), permitted[i], wanted[i])
	}
	return true
}

func (r *reading) wanted(c call, owner Address, permitted, wanted abiValue) {
	r.fungible(c, transferred(owner, wanted.items[0].address()), permitted.items[0].address(), wanted.items[1].number())
}

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
	proxyPermit  = "(" + permit2Permitted + ",uint256,uint256)"
	exactWitness = "(address,uint256)"
	uptoWitness  = "(address,address,uint256)"
)

var (
	exactProxyCalls = map[string]reader{
		"settle(" + proxyPermit + ",address," + exactWitness + ",bytes)": func(
			r *reading, c call, a []abiValue,
		) bool {
			r.settled(c, a[0].items[0], a[1].address(), a[2].items[0].address(), a[0].items[0].items[1])
			return true
		},
	}
	uptoProxyCalls = map[string]reader{
		"settle(" + proxyPermit + ",uint256,address," + uptoWitness + ",bytes)": func(
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

// isProxy tells the contracts, at one address on every chain, that move the tokens of who has approved them.
func isProxy(a Address) bool { return a == permit2 || a == exactProxy || a == uptoProxy }
