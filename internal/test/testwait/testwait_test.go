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
		began, looks := time.Now(), 0
		Until(t, "a second to pass", func() bool { looks++; return time.Since(began) >= time.Second })
		if took := time.Since(began); took > 1100*time.Millisecond || looks > 25 {
			t.Errorf("it took %v and %d looks", took, looks)
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
