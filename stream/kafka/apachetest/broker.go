package apachetest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	controller = "CONTROLLER"
	cluster    = "aW5mZXJsYWtlLXRlc3QtMQ" // 16 bytes, as Kafka writes them
	startLimit = time.Minute
)

// Broker is a running Apache Kafka of this process's own.
type Broker struct {
	dir   string
	jars  string
	addrs map[string]string // by listener
	child *exec.Cmd
	leash *os.File // its end ends the child
}

// Start runs a broker in a folder of its own until the test ends.
func Start(t testing.TB, o Options) *Broker {
	t.Helper()
	b, err := start(o)
	if err != nil {
		excuse(t, err)
	}
	t.Cleanup(b.stop)
	return b
}

// excuse skips a test that this machine cannot run, and fails it for any other reason.
func excuse(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errMissing) && os.Getenv("INFERLAKE_NO_SKIP") != "1" {
		t.Skip("NOT TESTED against Apache Kafka: ", err)
	}
	t.Fatal("Apache Kafka does not run, and no test may be skipped: ", err)
}

func start(o Options) (b *Broker, err error) {
	lib, err := jars()
	if err != nil {
		return nil, err
	}
	for range 3 { // a port may be taken by another program meanwhile
		if b, err = startIn(lib, o); err == nil {
			return b, nil
		}
	}
	return nil, err
}

func startIn(lib string, o Options) (*Broker, error) {
	dir, err := os.MkdirTemp("", "apache-kafka-")
	if err != nil {
		return nil, err
	}
	b := &Broker{dir: dir, jars: lib}
	err = b.format(o)
	if err == nil {
		err = b.run()
	}
	if err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

// format writes the settings and the empty log, which also holds who may log in.
func (b *Broker) format(o Options) (err error) {
	names, users := []string{Plain, controller}, []string{}
	for _, l := range o.Listeners {
		names = append(names, l.Name)
		if l.User != "" {
			users = append(users, "--add-scram", fmt.Sprintf("SCRAM-SHA-512=[name=%s,password=%s]", l.User, l.Password))
		}
	}
	if b.addrs, err = freeAddrs(names...); err != nil {
		return err
	}
	settings, err := b.settings(o)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.properties(), []byte(settings), 0o600); err != nil {
		return err
	}
	arguments := b.java("kafka.tools.StorageTool", "format", "--cluster-id", cluster, "--config", b.properties())
	out, err := exec.Command("java", append(arguments, users...)...).CombinedOutput()
	if strings.Contains(string(out), "UnsupportedClassVersionError") {
		return fmt.Errorf("%w: Apache Kafka needs Java 17 or newer", errMissing)
	}
	if err != nil {
		return fmt.Errorf("cannot format the log: %w\n%s", err, out)
	}
	return nil
}

func (b *Broker) properties() string { return filepath.Join(b.dir, "server.properties") }

// java are the arguments that run a class of the jars. Nothing here runs for long: quick to start is better than fast.
func (b *Broker) java(arguments ...string) []string {
	return append([]string{"-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(b.jars, "*")}, arguments...)
}

// leashed ends a program by signal 9 when its own input ends: when we say so, and also when this process dies.
const leashed = `"$@" </dev/null & read -r _; kill -9 $!; wait`

// run starts the process on the folder and waits until it answers.
func (b *Broker) run() error {
	log, err := os.Create(filepath.Join(b.dir, "said.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	held, leash, err := os.Pipe()
	if err != nil {
		return err
	}
	defer held.Close()
	b.child = exec.Command("sh", append([]string{"-c", leashed, "leashed", "java"}, b.java("kafka.Kafka", b.properties())...)...)
	b.child.Stdin, b.child.Stdout, b.child.Stderr = held, log, log
	if err := b.child.Start(); err != nil {
		leash.Close()
		b.child = nil
		return err
	}
	b.leash = leash
	return b.await()
}

// await waits until the broker knows itself as the leader of its log.
func (b *Broker) await() error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addrs()...), kgo.DisableClientMetrics())
	if err != nil {
		return err
	}
	defer cl.Close()
	for deadline := time.Now().Add(startLimit); time.Now().Before(deadline) && !strings.Contains(b.said(), "Exiting Kafka"); time.Sleep(50 * time.Millisecond) {
		if up(cl) {
			return nil
		}
	}
	return fmt.Errorf("the broker does not answer\n%s", b.said())
}

func (b *Broker) said() string {
	said, _ := os.ReadFile(filepath.Join(b.dir, "said.log"))
	return string(said)
}

// Addrs is where clients connect without protection.
func (b *Broker) Addrs() []string { return []string{b.addrs[Plain]} }

// Listener is where clients connect to a listener.
func (b *Broker) Listener(name string) []string { return []string{b.addrs[name]} }

// Kill ends the process by signal 9. Its log stays.
func (b *Broker) Kill() {
	if b.child != nil {
		b.leash.Close()
		b.child.Wait()
		b.child = nil
	}
}

// Restart starts the process again on its log and its ports, after Kill.
func (b *Broker) Restart() error { return b.run() }

// stop ends the process for good: nobody needs its log.
func (b *Broker) stop() {
	b.Kill()
	os.RemoveAll(b.dir)
}
