package localnet

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/railkit/railkit/chain/solana"
)

// Some clients wait for a transaction by a WebSocket: they are told when a signature is in a block, and of new blocks.

const (
	mostSubscriptions = 1_000 // of one connection
	writePatience     = 5 * time.Second
)

// socket is one connection.
type socket struct {
	chain *Chain
	node  string
	conn  *websocket.Conn

	mu         sync.Mutex // of writing, and of what follows
	last       int64      // the newest subscription
	signatures map[int64]subscription
	slots      map[int64]int64 // by the subscription, the slot that was told last
}

type subscription struct {
	id         solana.Signature
	commitment string
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // onlyHere has looked at Host

func (c *Chain) serveSocket(w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	conn.SetReadLimit(maxBody)
	s := &socket{
		chain: c, node: r.PathValue("node"), conn: conn, signatures: map[int64]subscription{}, slots: map[int64]int64{},
	}
	ended := make(chan struct{})
	go s.tell(ended)
	s.read()
	close(ended)
	conn.Close()
}

// read answers what the client asks, until it is gone.
func (s *socket) read() {
	for {
		_, raw, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		var q request
		if json.Unmarshal(raw, &q) != nil || q.ID == nil { // a sign of life
			continue
		}
		if s.answer(q) != nil {
			return
		}
		s.news()
	}
}

// answer tells the number of a subscription before anything is told under it. What is no subscription is a question
// like any other.
func (s *socket) answer(q request) error {
	if !isSubscription[q.Method] {
		a := s.chain.answer(s.node, q)
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.send(a)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := response{Version: "2.0", ID: q.ID}
	var err error
	if a.Result, err = s.subscribe(q.Method, call{node: s.node, params: q.Params}); err != nil {
		a.Result, a.Error = nil, refuse(codeParams, "%s", err)
	}
	return s.send(a)
}

var isSubscription = map[string]bool{
	"signatureSubscribe": true, "slotSubscribe": true, "signatureUnsubscribe": true, "slotUnsubscribe": true,
}

// send writes. The caller has the lock.
func (s *socket) send(v any) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writePatience)); err != nil {
		return err
	}
	return s.conn.WriteJSON(v)
}

// subscribe begins or ends a subscription.
func (s *socket) subscribe(method string, q call) (any, error) {
	many := len(s.signatures)+len(s.slots) >= mostSubscriptions
	switch method {
	case "signatureSubscribe":
		id, err := q.signature(0)
		if err != nil {
			return nil, err
		}
		o, err := q.options(1)
		if err != nil {
			return nil, err
		}
		if s.last++; !many {
			s.signatures[s.last] = subscription{id, o.Commitment}
		}
	case "slotSubscribe":
		if s.last++; !many {
			s.slots[s.last] = -1
		}
	default:
		var n int64
		if err := q.need(0, &n); err != nil {
			return nil, err
		}
		delete(s.signatures, n)
		delete(s.slots, n)
		return true, nil
	}
	if many {
		return nil, refuse(codeParams, "more than %d subscriptions", mostSubscriptions)
	}
	return s.last, nil
}

// tell says what is new after each change of the chain.
func (s *socket) tell(ended <-chan struct{}) {
	for {
		changed := s.chain.changes()
		s.news()
		select {
		case <-ended:
			return
		case <-changed:
		}
	}
}

// news tells the subscriptions what they wait for. One of a signature ends with that.
func (s *socket) news() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.gather() {
		if s.send(v) != nil {
			s.conn.Close() // read ends then
			return
		}
	}
}

func (s *socket) gather() (all []any) {
	s.chain.mu.RLock()
	defer s.chain.mu.RUnlock()
	l := s.chain.at(s.node)
	for n, sub := range s.signatures {
		if t := l.landed[sub.id]; l.sees(t, sub.commitment) {
			delete(s.signatures, n)
			all = append(all, notice("signatureNotification", n, object{
				"context": object{"slot": t.block.slot}, "value": object{"err": errorForm(t.outcome.Err)},
			}))
		}
	}
	head, root := l.newest("processed"), l.newest("finalized")
	for n, told := range s.slots {
		if told < head.slot {
			s.slots[n] = head.slot
			all = append(all, notice("slotNotification", n, object{
				"slot": head.slot, "parent": head.parent, "root": root.slot,
			}))
		}
	}
	return all
}

func notice(method string, subscription int64, result any) any {
	return object{
		"jsonrpc": "2.0", "method": method, "params": object{"result": result, "subscription": subscription},
	}
}
