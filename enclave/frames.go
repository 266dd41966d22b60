package enclave

import "encoding/binary"

// header begins each frame of the transport: length (4 bytes, big endian),
// stream, type, flags.
type header [10]byte

func (h header) length() uint32 { return binary.BigEndian.Uint32(h[:]) }

func (h header) stream() uint32 { return binary.BigEndian.Uint32(h[4:]) }

// isLast says whether this frame of the server's ends a call.
func (h header) isLast() bool {
	const response, data, closed = 2, 3, 1
	return h[8] == response || (h[8] == data && h[9]&closed != 0)
}

// frames keeps count of the frames of one direction as their bytes pass by.
type frames struct {
	limit  int64 // of one frame, 0: none
	header header
	have   int   // bytes of the header that are there
	body   int64 // bytes of the frame that are still to come
}

// follow tells of each header, and whether all frames are within the limit.
func (f *frames) follow(b []byte, tell func(header)) (fits bool) {
	for len(b) > 0 {
		if f.body > 0 {
			n := min(f.body, int64(len(b)))
			f.body, b = f.body-n, b[n:]
			continue
		}
		n := copy(f.header[f.have:], b)
		f.have, b = f.have+n, b[n:]
		if f.have < len(f.header) {
			return true
		}
		f.have, f.body = 0, int64(f.header.length())
		tell(f.header)
		if f.limit > 0 && f.body > f.limit {
			return false
		}
	}
	return true
}
