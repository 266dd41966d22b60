package shops

import (
	"context"
	"net/http"
	"time"
)

// around is what a lie makes of the shop's answer to who has paid.
func (l *Liar) around(lie Lie, honest http.Handler) http.Handler {
	say, ok := map[Lie]func(w http.ResponseWriter, r *http.Request, sold *answer){
		HangsSettled: func(_ http.ResponseWriter, r *http.Request, _ *answer) {
			l.hang(r.Context())
			panic(http.ErrAbortHandler)
		},
		CutsSettled: func(http.ResponseWriter, *http.Request, *answer) { panic(http.ErrAbortHandler) },
		ErrorSettled: func(w http.ResponseWriter, _ *http.Request, _ *answer) {
			http.Error(w, "the shop is broken", http.StatusInternalServerError)
		},
		NoReceiptSettled: func(w http.ResponseWriter, _ *http.Request, _ *answer) {
			_, _ = w.Write([]byte(Weather))
		},
		RedirectsSettled: func(w http.ResponseWriter, r *http.Request, _ *answer) {
			http.Redirect(w, r, Elsewhere, http.StatusTemporaryRedirect)
		},
		CookieSettled: func(w http.ResponseWriter, _ *http.Request, sold *answer) {
			for _, name := range []string{"session", "tracker"} {
				http.SetCookie(w, &http.Cookie{Name: name, Value: "yours", Path: "/"})
			}
			hand(w, sold)
		},
		HugeSettled: huge, SlowSettled: l.slow,
	}[lie]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if lie == RedirectsUnpaid {
			http.Redirect(w, r, Elsewhere, http.StatusFound)
			return
		}
		if !ok || !paid(r) {
			honest.ServeHTTP(w, r)
			return
		}
		sold := &answer{header: http.Header{}}
		honest.ServeHTTP(sold, r)
		if sold.status != http.StatusOK { // the payment was refused: there is nothing to lie about
			hand(w, sold)
			return
		}
		say(w, r, sold)
	})
}

// answer is what the honest shop would have answered.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	a.body = append(a.body, p...)
	return len(p), nil
}

// hand lets an answer out.
func hand(w http.ResponseWriter, sold *answer) {
	for name, values := range sold.header {
		w.Header()[name] = append(w.Header()[name], values...)
	}
	w.WriteHeader(sold.status)
	_, _ = w.Write(sold.body)
}

// hang waits until the buyer has left, or the shop closes.
func (l *Liar) hang(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-l.closing.Done():
	case <-time.After(10 * time.Minute):
	}
}

const hugeBody = 64 << 20

func huge(w http.ResponseWriter, _ *http.Request, sold *answer) {
	hand(w, sold)
	part := make([]byte, 64<<10)
	for n := 0; n < hugeBody; n += len(part) {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

func (l *Liar) slow(w http.ResponseWriter, r *http.Request, sold *answer) {
	hand(w, sold)
	for r.Context().Err() == nil && l.closing.Err() == nil {
		_, _ = w.Write([]byte("."))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(time.Second):
		case <-r.Context().Done():
		case <-l.closing.Done():
		}
	}
}
