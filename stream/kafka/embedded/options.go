package embedded

import (
	"crypto/tls"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
)

// Options are a Broker's settings; the zero value is usable.
type Options struct {
	Port           int           // TCP port on 127.0.0.1; 0 takes a free one
	Partitions     int           // of each topic when it is created; 0 means 4
	Retention      time.Duration // age by record timestamp after which records go; 0 means 7 days
	RetentionBytes int64         // bytes of a partition above which the oldest go; 0 means without limit
	SegmentBytes   int64         // bytes of a log file; 0 means 100 MiB
	Sweep          time.Duration // how often retention is applied; 0 means every minute
	NoSync         bool          // acknowledge before the disk has the record: for benchmarks
	TLS            *tls.Config   // nil means plaintext
	Users          []User        // who may log in; none means no login is asked for
}

// User is a login.
type User struct {
	Mechanism string // PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512
	Name      string
	Password  string
}

func (o Options) withDefaults() Options {
	if o.Partitions == 0 {
		o.Partitions = 4
	}
	if o.Retention == 0 {
		o.Retention = 7 * 24 * time.Hour
	}
	if o.RetentionBytes == 0 {
		o.RetentionBytes = -1
	}
	if o.SegmentBytes == 0 {
		o.SegmentBytes = 100 << 20
	}
	if o.Sweep == 0 {
		o.Sweep = time.Minute
	}
	return o
}

func (o Options) cluster(dir string) []kfake.Opt {
	opts := []kfake.Opt{
		kfake.Ports(o.Port),
		kfake.ListenFn(listen),
		kfake.ClusterID("inferlake-embedded"),
		kfake.DataDir(dir),
		kfake.DefaultNumPartitions(o.Partitions),
		kfake.BrokerConfigs(map[string]string{
			"log.retention.ms":    strconv.FormatInt(o.Retention.Milliseconds(), 10),
			"log.retention.bytes": strconv.FormatInt(o.RetentionBytes, 10),
			"log.segment.bytes":   strconv.FormatInt(o.SegmentBytes, 10),
		}),
	}
	if !o.NoSync {
		opts = append(opts, kfake.SyncWrites())
	}
	if o.TLS != nil {
		opts = append(opts, kfake.TLS(o.TLS))
	}
	if len(o.Users) > 0 {
		opts = append(opts, kfake.EnableSASL())
	}
	for _, u := range o.Users {
		opts = append(opts, kfake.Superuser(u.Mechanism, u.Name, u.Password))
	}
	return opts
}
