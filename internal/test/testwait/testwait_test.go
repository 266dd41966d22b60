package testwait

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

type failed struct{ said string }

func (f *failed) Fatalf(format string, args ...any) {
	f.said = fmt.Sprintf(format, args...)
	panic(f) // as a real one does not return
}

func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		Until(t, "a second to pass", func() bool { return time.Since(began) >= time.Second })
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		var f failed
		defer func() {
			if recover() != &f || f.said != "still not after 3m0s: the moon" {
				t.Errorf("it says %q", f.said)
			}
		}()
		Until(&f, "the moon", func() bool { return false })
	})
}
