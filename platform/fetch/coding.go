package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// plain is a body as it was before its server compressed it, which it was asked not to do. Only gzip is read, and no
// more of it than a plain body may have: a few bytes may stand for gigabytes. A body in another coding, or with more
// behind its coding, is the answer as it came where the caller takes that, and its header says which coding it has.
//
// Example: 900 kB of gzip that stand for 3 MB, with a limit of 1 MiB, are 900 kB with "Content-Encoding: gzip", or
// ErrUnreadable.
func plain(h http.Header, body []byte, most int64, coded bool) ([]byte, error) {
	codings := codingsOf(h)
	if len(codings) == 0 || len(body) == 0 { // an answer to HEAD names the coding of a body that it does not have
		return body, nil
	}
	if slices.Equal(codings, []string{"gzip"}) {
		if decoded, err := gunzip(body, most); err == nil {
			h.Del("Content-Encoding")
			return decoded, nil
		}
	}
	if coded {
		return body, nil
	}
	return nil, ErrUnreadable.Because(errors.New("it is compressed"))
}

func codingsOf(h http.Header) (all []string) {
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "", "identity":
		case "x-gzip":
			all = append(all, "gzip")
		default:
			all = append(all, name)
		}
	}
	return all
}

func gunzip(body []byte, most int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	decoded, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(decoded)) > most {
		err = ErrTooLarge
	}
	return decoded, err
}
