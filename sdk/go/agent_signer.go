package railkit

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// The headers of an agent's request.
const (
	headerAgentID    = "X-Agent-Id"
	headerAgentAuth  = "X-Agent-Auth"
	headerTimestamp  = "X-Request-Timestamp"
	headerSDKVersion = "X-Sdk-Version"
)

// sdkVersion is telemetry: no signature covers it.
const sdkVersion = "railkit-go/1.0"

// mostAhead is how far equal writes may run ahead of the clock, in seconds. The
// server takes a minute, less what its clock differs from ours.
const mostAhead = 30

// AgentSigner signs an agent's requests to one origin. A signature does not say
// for whom it is: at any other server it could be taken and used at this one.
// Do not follow redirects with a request that was signed; AgentClient does not.
type AgentSigner struct {
	origin     *url.URL
	id, secret string
	now        func() time.Time

	mu   sync.Mutex
	last map[string]int64 // of each write, without its timestamp: when it was signed
}

func newAgentSigner(origin *url.URL, id, secret string, now func() time.Time) *AgentSigner {
	return &AgentSigner{origin: origin, id: id, secret: secret, now: now, last: map[string]int64{}}
}

// Sign adds the headers to a request whose body has these bytes.
func (s *AgentSigner) Sign(req *http.Request, body []byte) error {
	if req.URL.Scheme != s.origin.Scheme || req.URL.Host != s.origin.Host || (req.Host != "" && req.Host != s.origin.Host) {
		return errors.New("railkit: an agent's request must not be signed for another origin")
	}
	read := req.Method == http.MethodGet || req.Method == http.MethodHead
	if !read && req.URL.RawQuery != "" {
		return errors.New("railkit: an agent's write must not have a query, which no signature covers")
	}
	at, err := s.timestamp(read, req.Method+req.URL.EscapedPath()+wire.Digest(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set(headerAgentID, s.id)
	req.Header.Set(headerTimestamp, at)
	req.Header.Set(headerAgentAuth, s.MAC(req.Method, req.URL.EscapedPath(), at, body))
	req.Header.Set(headerSDKVersion, sdkVersion)
	return nil
}

// MAC is the signature alone.
func (s *AgentSigner) MAC(method, path, timestamp string, body []byte) string {
	return wire.AgentMAC(s.secret, wire.AgentMessage(method, path, timestamp, wire.Digest(string(body))))
}

// timestamp gives equal writes different seconds: with one, the second of them
// would be a replay of the first.
func (s *AgentSigner) timestamp(read bool, of string) (string, error) {
	now := s.now().Unix()
	if read {
		return strconv.FormatInt(now, 10), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for other, at := range s.last {
		if at < now {
			delete(s.last, other)
		}
	}
	at := now
	if last, ok := s.last[of]; ok {
		at = last + 1
	}
	if at > now+mostAhead {
		return "", errors.New("railkit: too many equal writes at once; their signatures would be the same")
	}
	s.last[of] = at
	return strconv.FormatInt(at, 10), nil
}

func agentSecretInfo(st Statement) []byte {
	return wire.AgentSecretInfo(st.Environment, st.Result.Agent.ID, st.Fingerprint)
}
