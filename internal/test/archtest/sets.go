package archtest

// Some sets that several rules speak of.
var (
	nodeClients = []string{
		"./chain/evm/rpc", "./chain/solana/rpc", "./chain/devnet/...", "./chain/solana/localnet",
		"./chain/tron/rpc", "./chain/tron/localnet",
		"github.com/ethereum/go-ethereum/rpc", "github.com/ethereum/go-ethereum/ethclient/...",
	}
	pureChain = []string{
		"./chain", "./chain/families", "./chain/evm", "./chain/evm/aave", "./chain/evm/router", "./chain/evm/signed",
		"./chain/solana", "./chain/tron",
	}
	leaves = []string{"./money", "./fault", "./clock", "./text", "./requestid"}
	// The signer and the edge may name the places at which the crash suite ends
	// them: crash holds no statement in any other build, which its test shows.
	crashing  = []string{"./crash"}
	harnesses = []string{
		"./internal/test/...", "./chain/chaintest", "./store/storetest/...", "./fiat/fiattest",
		"./platform/ratelimit/limittest",
	}
	apiRooms = []string{"./api/agents", "./api/payout", "./api/platform", "./api/signing", "./api/widget"}
	// What knows members, mails and other machines: libraries that the few who need
	// them bring along.
	outside = []string{
		"net/smtp", "github.com/wneessen/go-mail/...", "github.com/gomodule/redigo/...",
		"github.com/go-webauthn/...", "github.com/golang-jwt/...",
	}
	server = []string{
		"./api/...", "./kit/...", "./platform/...", "./store/...", "./job/...", "./web/...", "./internal/app/...",
	}
)

func join(sets ...[]string) []string {
	var all []string
	for _, s := range sets {
		all = append(all, s...)
	}
	return all
}
