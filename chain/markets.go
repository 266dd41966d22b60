package chain

import (
	"slices"
	"strings"
)

// MarketKind says which functions an exchange's router has.
type MarketKind string

// The kinds that are understood. A router of another kind is never called: its functions may do other things under the
// same names.
const (
	// MarketV2 has the functions of Uniswap's V2Router02: swapExactTokensForETH.
	MarketV2 MarketKind = "v2"
	// MarketV2AVAX has the same functions under Avalanche's names: swapExactTokensForAVAX.
	MarketV2AVAX MarketKind = "v2_avax"
	// MarketV3 has those of Uniswap's SwapRouter02, with a QuoterV2 beside it.
	MarketV3 MarketKind = "v3"
)

// V2 reports whether pools hold two tokens and take 0.3 % of what is sold.
func (k MarketKind) V2() bool { return k == MarketV2 || k == MarketV2AVAX }

// Market is an exchange on one network. The list is part of the program, not of what a signer was sealed with: it says
// which code is at an address, as the list of known contracts does.
type Market struct {
	Protocol string // as the API names the exchange: "uniswap"
	Kind     MarketKind
	ChainID  uint64
	Router   string
	Factory  string // v2: tells the pool of two tokens
	Quoter   string // v3: QuoterV2
	Fees     []int  // v3: of the pools that are asked for, in millionths of what is sold: 3000 is 0.3 %
}

// Markets lists the exchanges of a network.
func Markets(n Network) []Market {
	return slices.DeleteFunc(slices.Clone(markets), func(m Market) bool {
		return n.ChainID == 0 ||
			m.ChainID != n.ChainID
	})
}

// MarketAt finds the exchange whose router has the address.
func MarketAt(n Network, router string) (Market, bool) {
	for _, m := range Markets(n) {
		if strings.EqualFold(m.Router, router) {
			return m, true
		}
	}
	return Market{}, false
}

// AddMarket lists one more exchange. Tests call it in TestMain; nothing else does.
func AddMarket(m Market) { markets = append(markets, m) }

// Wrapped finds the token that is the network's own coin in the form of a token, as WETH is ETH.
func (n Network) Wrapped() (Token, bool) {
	i := slices.IndexFunc(n.Tokens, func(t Token) bool { return t.Wraps != "" && t.Wraps == n.Native.Symbol })
	if i < 0 {
		return Token{}, false
	}
	return n.Tokens[i], true
}

var v3Fees = []int{100, 500, 3000, 10000}

// The exchanges. Sources: Uniswap, "V2 Deployment Addresses" and "Uniswap Contract Deployments" (v3) of
// docs.uniswap.org; Pangolin and LFJ (Joe V1): as integrations in public repositories have them. None was asked on its
// chain from here.
//
// Those of the testnets are ours, and have code on our devnet only: the last 20 bytes of
// keccak256("railkit sandbox router <chain id>"), and of the same text with factory.
var markets = []Market{
	uniswapV2(1, "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D", "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f"),
	uniswapV3(1, "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45", "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"),
	uniswapV2(8453, "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24", "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6"),
	uniswapV3(8453, "0x2626664c2603336E57B271c5C0b26F421741e481", "0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a"),
	uniswapV2(137, "0xedf6066a2b290C185783862C7F4776A2C8077AD1", "0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C"),
	uniswapV3(137, "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45", "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"),
	uniswapV2(42161, "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24", "0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9"),
	uniswapV3(42161, "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45", "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"),
	uniswapV2(10, "0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2", "0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf"),
	uniswapV3(10, "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45", "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"),
	uniswapV2(43114, "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24", "0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C"),
	uniswapV3(43114, "0xbb00FF08d01D300023C629E8fFfFcb65A5a578cE", "0xbe0F5544EC67e9B3b2D979aaA43f18Fd87E6257F"),
	{
		Protocol: "pangolin", Kind: MarketV2AVAX, ChainID: 43114,
		Router: "0xE54Ca86531e17Ef3616d22Ca28b0D458b6C89106", Factory: "0xefa94DE7a4656D787667C749f7E1223D71E9FD88",
	},
	{
		Protocol: "lfj", Kind: MarketV2AVAX, ChainID: 43114,
		Router: "0x60aE616a2155Ee3d9A68541Ba4544862310933d4", Factory: "0x9Ad6C38BE94206cA50bb0d90783181662f0Cfa10",
	},

	uniswapV2(11155111, "0x5d40747bFA435B536e84bacFF0807177542A2E27", "0x76feb05ABe89754D08C4931DF207af3BA9A9161d"),
	uniswapV2(84532, "0x8Ac2bCbE7F97ab90955696341f9D99806f9e7E34", "0x316F7E6DA1fd9DDE60e80B346843bF6a5517490D"),
	uniswapV2(80002, "0xFCdD8E78407Cab81a9274aa3fEd4A0217cd632bF", "0xB836aeA52d1Ff3944981113eDBd755DBEf0cFd84"),
	uniswapV2(421614, "0xE18a11E1f255DB3D4e4A95073e707FE20bF6acE2", "0x2551A31a7E4A75e0538D6f83c6C506Cb9e9fad09"),
	uniswapV2(11155420, "0x7EdD73A2068abd54744676230Bae96a49997cb2D", "0xdeC133102BBC43f348A908d3e543568335404289"),
	{
		Protocol: "lfj", Kind: MarketV2AVAX, ChainID: 43113,
		Router: "0x82D75655f57E94939043347F6098232d9A53e25b", Factory: "0x48aFb75CCEeCAd7a53ab49e2ea6b0E37ce5075FA",
	},
}

func uniswapV2(id uint64, router, factory string) Market {
	return Market{Protocol: "uniswap", Kind: MarketV2, ChainID: id, Router: router, Factory: factory}
}

func uniswapV3(id uint64, router, quoter string) Market {
	return Market{Protocol: "uniswap", Kind: MarketV3, ChainID: id, Router: router, Quoter: quoter, Fees: v3Fees}
}
