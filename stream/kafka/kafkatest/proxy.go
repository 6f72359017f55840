package kafkatest

import (
	"net"
	"sync"
	"testing"
)

// Proxy passes connections on to another address, and can hold what they carry.
type Proxy struct {
	t    testing.TB
	l    net.Listener
	mu   sync.Mutex
	flow *sync.Cond // of to and held
	to   string
	held bool
}

// NewProxy listens on the loopback until the test ends. Where it leads is told by LeadTo.
func NewProxy(t testing.TB) *Proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{t: t, l: l}
	p.flow = sync.NewCond(&p.mu)
	t.Cleanup(func() { l.Close(); p.Hold(false) })
	go p.accept()
	return p
}

// Addr is where the proxy listens, host:port.
func (p *Proxy) Addr() string { return p.l.Addr().String() }

// LeadTo sets where new connections lead.
func (p *Proxy) LeadTo(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = address
}

// Hold keeps all bytes back, as a network that is cut does, or lets them through again.
func (p *Proxy) Hold(hold bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = hold
	p.flow.Broadcast()
}

// pass waits while bytes are held back and returns where the proxy leads.
func (p *Proxy) pass() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held {
		p.flow.Wait()
	}
	return p.to
}

func (p *Proxy) accept() {
	for {
		near, err := p.l.Accept()
		if err != nil {
			return
		}
		go p.serve(near)
	}
}

func (p *Proxy) serve(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", p.pass())
	if err != nil {
		return
	}
	defer far.Close()
	go p.copy(far, near)
	p.copy(near, far)
}

// copy ends both connections when one ends.
func (p *Proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	for buf := make([]byte, 64<<10); ; {
		n, err := from.Read(buf)
		p.pass()
		if _, failed := to.Write(buf[:n]); failed != nil || err != nil {
			return
		}
	}
}
