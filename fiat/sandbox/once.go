package sandbox

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/railkit/railkit/crash"
)

// keyHeader makes a call happen once.
const keyHeader = "Idempotency-Key"

// keyLife is how long an answer is kept for its key.
const keyLife = 24 * time.Hour

var (
	errKeyNeeded = refuse(http.StatusBadRequest, "idempotency_key_required",
		"a POST needs an Idempotency-Key of at most 255 characters")
	errKeyRefused = refuse(http.StatusBadRequest, "idempotency_key_not_allowed",
		"only a POST may have an Idempotency-Key")
	errKeyReused = refuse(http.StatusBadRequest, "not_truly_idempotent",
		"the Idempotency-Key was used for another request")
	errKeyExpired = refuse(http.StatusUnprocessableEntity, "idempotency_key_expired",
		"the Idempotency-Key was used more than 24 hours ago")
)

func checkKeyHeader(r request) error {
	key := r.Header.Get(keyHeader)
	switch {
	case r.Method == http.MethodPost && (key == "" || len(key) > 255):
		return errKeyNeeded
	case r.Method != http.MethodPost && key != "":
		return errKeyRefused
	}
	return nil
}

// once does what a key asks for the first time, and gives the same answer from
// then on. The answer is kept in the transaction of the effect: there is never
// one without the other. What is refused is not kept.
func (s *Server) once(r request, do writes) (any, error) {
	var answer any
	key, asked := r.Header.Get(keyHeader), digest([]byte(r.Method), []byte(r.URL.Path), r.body)
	err := s.update(r.Context(), func(t *tx) error {
		kept, err := t.kept(key, asked)
		if kept != nil || err != nil {
			answer = kept
			return err
		}
		if answer, err = do(t, r); err != nil {
			return err
		}
		answer = json.RawMessage(encode(answer)) // as it will be replayed
		_, err = t.exec(`INSERT INTO keys (key, request, answer, at) VALUES (?, ?, ?, ?)`, key, asked,
			string(encode(answer)), t.now.UnixMicro())
		return err
	})
	if err == nil {
		crash.At("Partner", "after-effect")
	}
	return answer, err
}

func (t *tx) kept(key, asked string) (any, error) {
	var request, answer string
	var at int64
	err := t.w.QueryRowContext(t.ctx, `SELECT request, answer, at FROM keys WHERE key = ?`, key).Scan(
		&request, &answer, &at,
	)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for a key: %w", err)
	case request != asked:
		return nil, errKeyReused
	case t.now.Sub(time.UnixMicro(at)) >= keyLife:
		return nil, errKeyExpired
	}
	return json.RawMessage(answer), nil
}
