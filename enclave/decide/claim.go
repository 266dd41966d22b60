package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/enclave/refusal"
	"github.com/railkit/railkit/enclave/wire"
)

// Bounds of a request that an agent signs.
const (
	maxDrift   = 60 // seconds, to either side
	stampSize  = 10 // digits of a timestamp
	maxPath    = 2048
	noBody     = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of nothing
	emptyBody  = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" // SHA-256 of {}
	digits     = "0123456789"
	hexDigits  = digits + "abcdef"
	capitals   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	wrongAgent = "the agent is unknown or the signature does not match"
)

// What an agent's request may lack. That the agent is unknown and that the
// signature is wrong is one answer.
var (
	ErrNotSigned = refusal.ErrAgentAuth.Msg(wrongAgent)
	ErrReplayed  = refusal.ErrAgentAuth.Msg("this signature was used before; sign each write with a new timestamp")
	errMalformed = refusal.ErrAgentAuth.Msg(
		"x-agent-id, x-agent-auth (64 hex digits) and x-request-timestamp (10 digits, seconds) are required once each",
	)
)

// Claim is a request that says to be an agent's, read.
type Claim struct {
	AgentID  string
	Messages []string // what may have been signed
	MAC      [sha256.Size]byte
	At       int64 // seconds
	Until    int64 // seconds: when a signature of the second form expires; 0 of the first form
	Write    bool
	Sealed   []byte // the secret that the signature was checked under: it may have ended since
}

// ReadClaim reads a request. No other text than the one of the contract is taken for a
// claim: each has one signature.
func ReadClaim(q wire.VerifyAgentRequest) (Claim, error) {
	c := Claim{AgentID: q.AgentID, Write: q.Method != "GET" && q.Method != "HEAD"}
	if !isUUID.MatchString(q.AgentID) || !wellFormed(q) {
		return Claim{}, errMalformed
	}
	if _, err := hex.Decode(c.MAC[:], []byte(q.MAC)); err != nil {
		return Claim{}, errMalformed
	}
	if q.HTTP != nil {
		err := c.readHTTP(q, *q.HTTP)
		return c, err
	}
	if !consists(q.Timestamp, stampSize, digits) {
		return Claim{}, errMalformed
	}
	at, err := strconv.ParseInt(q.Timestamp, 10, 64)
	if err != nil {
		return Claim{}, errMalformed
	}
	c.At = at
	c.Messages = []string{q.Message()}
	if q.BodyHash == emptyBody { // which clients count as none
		q.BodyHash = noBody
		c.Messages = append(c.Messages, q.Message())
	}
	return c, nil
}

// Fresh reports whether the timestamp is near enough to the clock, in whole seconds as
// the timestamp has them.
func (c Claim) Fresh(now time.Time) bool {
	drift := now.Unix() - c.At
	return -maxDrift <= drift && drift <= maxDrift && (c.Until == 0 || now.Unix() <= c.Until)
}

func wellFormed(q wire.VerifyAgentRequest) bool {
	return consists(q.MAC, 2*sha256.Size, hexDigits) && consists(q.BodyHash, 2*sha256.Size, hexDigits) &&
		consists(q.Method, len(q.Method), capitals) && strings.HasPrefix(q.Path, "/") && len(q.Path) <= maxPath &&
		!strings.Contains(q.Path, "?")
}

// consists reports whether text is n of these characters.
func consists(text string, n int, of string) bool {
	return text != "" && len(text) == n && strings.Trim(text, of) == ""
}
