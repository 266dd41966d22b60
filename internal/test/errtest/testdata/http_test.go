package testdata

import (
	"net/http"
	"testing"
)

func TestByCode(t *testing.T) { ask(t, "is_gone") }

func TestByMessage(t *testing.T) { ask(t, `{"message":"It is gone: really"}`) }

func TestHelped(t *testing.T) { asked(t) }

func asked(t *testing.T) { ask(t, gone...) }

var gone = []string{`{"error":"is_gone"}`}

func ask(t *testing.T, want ...string) { http.Get("") }
