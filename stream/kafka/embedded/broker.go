// Package embedded is the broker for one machine: a real Kafka protocol server inside this process, on this
// machine's loopback, with its log in a directory. There is one noun, Broker.
//
// It differs from Apache Kafka where the product has to know: it keeps the producer's timestamps whatever the topic
// asks for, and it has no retention but the one that Options set. A transaction that was open when its process was
// killed counts as aborted, but without a marker on the log: what the same transactional id commits next is not seen, and
// after another kill both are. A producer that takes a new transactional id then is safe. The product's own producers use
// no transactions.
package embedded

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/inferlake/inferlake/stream"
)

// Broker is a running broker. A directory has at most one at a time, over all processes.
type Broker struct {
	cluster *kfake.Cluster
	lock    *lock
	stop    chan struct{}
	sweeper sync.WaitGroup
}

// Start opens the log in dir, which is made if it is not there, and listens. The topics of the contract exist
// when it returns.
func Start(dir string, o Options) (*Broker, error) {
	o = o.withDefaults()
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	cluster, err := open(dir, o)
	if err != nil {
		l.release()
		return nil, fmt.Errorf("cannot start the embedded broker in %s: %w", dir, err)
	}
	b := &Broker{cluster: cluster, lock: l, stop: make(chan struct{})}
	b.sweeper.Go(func() { b.sweep(o.Sweep) })
	return b, nil
}

func open(dir string, o Options) (*kfake.Cluster, error) {
	cluster, err := kfake.NewCluster(o.cluster(dir)...)
	if err != nil {
		return nil, err
	}
	for _, t := range stream.Topics {
		err := cluster.CreateTopic(t, int32(o.Partitions), nil)
		if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			cluster.Close()
			return nil, fmt.Errorf("topic %s: %w", t, err)
		}
	}
	return cluster, nil
}

// Addrs are the addresses host:port that clients connect to.
func (b *Broker) Addrs() []string { return b.cluster.ListenAddrs() }

// ApplyRetention removes now what has passed the retention.
func (b *Broker) ApplyRetention() { b.cluster.ApplyRetention() }

// DeleteRecords removes the records of a partition before an offset.
func (b *Broker) DeleteRecords(tp stream.TopicPartition, before int64) error {
	return b.cluster.DeleteRecords(tp.Topic, tp.Partition, before)
}

// RecreateTopic deletes a topic with its records and makes it again, empty, with another topic id or the same.
func (b *Broker) RecreateTopic(topic string, partitions int) error {
	if err := b.cluster.DeleteTopic(topic); err != nil {
		return err
	}
	return b.cluster.CreateTopic(topic, int32(partitions), nil)
}

// sweep applies the retention from time to time: the server does not by itself.
func (b *Broker) sweep(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-t.C:
			b.cluster.ApplyRetention()
		}
	}
}

// Close writes the state, stops listening and frees the directory. It may be called once.
func (b *Broker) Close() error {
	close(b.stop)
	b.sweeper.Wait()
	b.cluster.Close()
	return b.lock.release()
}

// listen makes every listener one of the loopback, whatever host the server asks for.
func listen(network, address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := strconv.Atoi(port); err != nil {
		return nil, err
	}
	return net.Listen(network, net.JoinHostPort("127.0.0.1", port))
}
