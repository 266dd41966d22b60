package journal

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const (
	helperPoint = "RAILKIT_TEST_JOURNAL_POINT"
	members     = 8
)

// The points around the sync that several share, in their order.
var sharedPoints = []string{"log", "half of log", "written", "synced", "head", "half of head", "second head", "headed"}

// dieTogether has one entry wait for its sync while others come, and ends the process at a point of the batch that
// they share. It prints each entry that Wait has confirmed.
func dieTogether(dir, point string) {
	d := &deadly{point: point, first: make(chan struct{}), come: make(chan struct{})}
	j, err := Open(Options{Dir: dir, Key: [32]byte{7}, Binding: "sandbox|0a1b", Disk: d.disk()}, nil)
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	d.armed = true
	var out sync.Mutex
	var told sync.WaitGroup
	say := func(payload string) {
		p, err := j.Append([]byte(payload))
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		told.Go(func() {
			err := j.Wait(p.Seq)
			out.Lock()
			defer out.Unlock()
			fmt.Println(payload, err)
		})
	}
	say("first")
	<-d.first
	for i := range members {
		say(fmt.Sprintf("member-%d", i))
	}
	close(d.come)
	told.Wait()
	os.Exit(0)
}

// deadly is a disk that ends its process within the second batch. One goroutine uses it.
type deadly struct {
	point       string
	armed       bool
	first, come chan struct{} // the first sync is under way; all others have come
	syncs       int
	heads       int // slots that were written since the second sync
}

func (d *deadly) at(point string) {
	if d.point == point {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (d *deadly) disk() Disk {
	return Disk{
		Write: func(f *os.File, b []byte, at int64) (int, error) {
			switch head := strings.HasSuffix(f.Name(), headName); {
			case head && d.syncs > 1:
				d.heads++
				d.at(map[int]string{1: "head", 2: "second head"}[d.heads])
				d.half("half of head", f, b, at)
			case !head && d.syncs == 1:
				d.at("log")
				d.half("half of log", f, b, at)
			}
			n, err := f.WriteAt(b, at)
			if d.heads == 2 {
				d.at("headed")
			}
			return n, err
		},
		Sync: func(f *os.File) error {
			if !d.armed {
				return fdatasync(f)
			}
			if d.syncs++; d.syncs == 1 {
				close(d.first)
				<-d.come
				return fdatasync(f)
			}
			d.at("written")
			err := fdatasync(f)
			d.at("synced")
			return err
		},
	}
}

func (d *deadly) half(point string, f *os.File, b []byte, at int64) {
	if d.point == point {
		_, _ = f.WriteAt(b[:len(b)/2], at)
		d.at(point)
	}
}

// Whoever shares a sync is told of nothing that a kill at any point around it could take back.
func TestKilledAroundASharedSync(t *testing.T) {
	t.Parallel()
	for _, point := range sharedPoints {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			confirmed := killedTogether(t, o.Dir, point)
			if len(confirmed) > 1 || len(confirmed) == 1 && confirmed[0] != "first" {
				t.Errorf("confirmed before the end of the batch: %q", confirmed)
			}
			j, got := mustOpen(t, o)
			there := map[string]bool{}
			for i, e := range got {
				there[e.payload] = true
				if i > 0 && e.payload != fmt.Sprintf("member-%d", i-1) {
					t.Errorf("entry %d is %q", i+1, e.payload)
				}
			}
			if !there["first"] {
				t.Error("the entry of the sync before is lost")
			}
			if whole := len(got) == members+1; point != "log" && point != "half of log" && !whole {
				t.Errorf("%d entries were written, %d are there", members+1, len(got))
			}
			add(t, j, "next")
			mustClose(t, j)
			if _, after := mustOpen(t, o); len(after) != len(got)+1 || after[len(got)].payload != "next" {
				t.Errorf("after another restart: %v", after)
			}
		})
	}
}

// killedTogether runs dieTogether, and returns what it confirmed.
func killedTogether(t *testing.T, dir, point string) (confirmed []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperDir+"="+dir, helperPoint+"="+point)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for in := bufio.NewScanner(out); in.Scan(); {
		payload, said, _ := strings.Cut(in.Text(), " ")
		if said != "<nil>" {
			t.Errorf("the helper says %q", in.Text())
		}
		confirmed = append(confirmed, payload)
	}
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the helper was not killed at %q: %v", point, cmd.ProcessState)
	}
	return confirmed
}
