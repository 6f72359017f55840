"""A fleet in one file: a gateway, an engine and a node's sampler tell Inferlake all that can be told.

    pip install confluent-kafka
    python fleet.py localhost:9092

docs/events.md says what the fields mean. To tell of your own fleet, take the class Process, and of the functions below
the one that is like what you run. Leave out what you do not know: a field that is missing is unknown, a 0 is a fact.
"""
import json, sys, time, uuid, zlib
from collections import Counter, defaultdict
from confluent_kafka import Producer

# Idempotent: in order and without repeats, also when the client has to send again.
kafka = Producer({"bootstrap.servers": sys.argv[1], "enable.idempotence": True, "linger.ms": 5})
failed = []

REQUESTS, ENGINES, GPUS, INFRA = "inferlake.requests", "inferlake.engines", "inferlake.gpus", "inferlake.infra"
MODEL, NODE, GPU, SECOND = "llama-3-8b", "node-a", "GPU-6ab5d5d8-3c4f-4c0e-9f5e-2d3b8e1a7c10", 10**9


class Process:
    """One that speaks: a name, an id of this start, and on each topic and lane a number for every event."""

    def __init__(self, name, source, lanes=1, **envelope):
        self.name, self.lanes, self.started, boot = name, lanes, time.time_ns(), uuid.uuid4().hex
        self.seqs = defaultdict(int)  # of the next event, by topic and lane
        self.envelope = dict(producer=name, boot=boot, source=source, instance=name, clock_domain=boot, **envelope)

    def event(self, topic, lane, kind, body):
        seq = self.seqs[topic, lane]
        self.seqs[topic, lane] += 1
        return {**self.envelope, "lane": lane, "seq": seq, "time_unix_nano": time.time_ns(),
                "mono_nano": time.monotonic_ns(), kind: body}

    def send(self, topic, lane, value, content_type="application/json"):
        kafka.produce(topic, value, key=f"{self.name}/{lane}", headers={"content-type": content_type},
                      on_delivery=lambda error, _: error and failed.append(error))
        kafka.poll(0)

    def tell(self, topic, lane, kind, **body):  # one event a record: a JSON object
        self.send(topic, lane, json.dumps(self.event(topic, lane, kind, body)))

    def request(self, request_id, phase, **body):  # all events of a request go to one lane
        self.tell(REQUESTS, zlib.crc32(request_id.encode()) % self.lanes, "request",
                  request_id=request_id, phase=phase, **body)

    def beat(self, state="heartbeat"):  # every few seconds on each lane; the last one says stopped
        for (topic, lane), seq in list(self.seqs.items()):
            self.tell(topic, lane, "instance_event", state=state, last_seq=seq, boot_started_unix_nano=self.started)


def bucket(ns):  # of the sketch of inter-token latencies
    e = max(ns.bit_length() - 7, 0)
    return e * 64 + (ns >> e)


def serve(gateway, engine, request_id, output, preempted=False, client_leaves=False):
    """A request as the gateway and the engine see it: two legs with one join key."""
    known = dict(join_key=request_id, model=MODEL, token_convention="inclusive", prompt_tokens=900)
    gateway.request(request_id, "received", **known, tenant="9f86d081884c7d65", stream=True, max_tokens=256)
    engine.request(request_id, "queued", **known, running_requests=0, waiting_requests=0)
    engine.request(request_id, "scheduled", token_convention="inclusive", cached_local_tokens=640)
    engine.request(request_id, "kv_transfer", occurrence=1, kv_transfer_nano=2_000_000, kv_transfer_bytes=80 << 20)
    scheduled, latencies = time.monotonic_ns(), Counter()
    for n in range(1, output + 1):
        time.sleep(0.005)  # a forward pass
        now = time.monotonic_ns()
        if n == 1:
            first = now
            engine.request(request_id, "first_token", ttft_scheduled_nano=first - scheduled)
            gateway.request(request_id, "first_byte")
        else:
            latencies[bucket(now - last)] += 1
        last = now
        if n == 5:  # four were reasoning
            engine.request(request_id, "first_answer_token")
        if n == 6 and preempted:
            engine.request(request_id, "preempted", occurrence=1, preemptions=1, recomputed_tokens=906)
        so_far = dict(output_tokens=n, reasoning_tokens=min(n, 4),
                      itl_bucket=sorted(latencies), itl_count=[latencies[b] for b in sorted(latencies)])
        if n % 8 == 0:  # now and then, so that long requests are seen while they run
            engine.request(request_id, "tokens", **so_far)
    end = dict(outcome="ok", finish_reason="stop", http_status=200)
    if client_leaves:
        gateway.request(request_id, "client_gone")
        end = dict(outcome="cancelled", finish_reason="abort", http_status=499)
    engine.request(request_id, "finished", **so_far, **end, decode_nano=last - first)
    gateway.request(request_id, "finished", output_tokens=output, **end)


def log_line(engine, request_id):
    """A request of which all is told once it is over: most engines can say no more."""
    now = time.time_ns()
    engine.request(request_id, "finished", outcome="ok", finish_reason="length", model=MODEL, join_key=request_id,
                   token_convention="inclusive", prompt_tokens=300, output_tokens=64, queue_nano=SECOND // 4,
                   received_unix_nano=now - 2 * SECOND, first_token_unix_nano=now - SECOND, finished_unix_nano=now)


def sample_engine(engine, tokens):
    engine.tell(ENGINES, 0, "engine", model=MODEL, started_unix_nano=engine.started, running_requests=1,
                waiting_requests=0, kv_cache_usage_ratio=0.25, kv_used_blocks=256, kv_total_blocks=1024,
                output_tokens_total=tokens)
    # Ten passes of both ranks in one record, as JSON lines. 260 prompt tokens were computed behind 640 cached ones.
    run = dict(passes=10, wall_nano=SECOND // 20, prefill_tokens=260, prefill_context_twice=260 * (2 * 640 + 260),
               prefill_sequences=1, decode_sequences=9, decode_tokens=9, kv_tokens_read=9 * 900)
    runs = [engine.event(ENGINES, 0, "step_run", dict(run, rank_index=rank)) for rank in range(2)]
    engine.send(ENGINES, 0, "\n".join(map(json.dumps, runs)), "application/x-ndjson")


def sample_node(sampler, n):
    """What a node's sampler sees: for each topic one record, a JSON array."""
    gpus = [("gpu", dict(gpu=GPU, node=NODE, gpu_type="H200", utilization_ratio=0.9, sm_active_ratio=0.7,
                         framebuffer_used_mib=110_000, power_milliwatts=512_000, temperature_celsius=61,
                         energy_millijoules_total=512_000 * n, unavailable=["memory_temperature_celsius"])),
            ("gpu_fault", dict(gpu=GPU, node=NODE, fault="xid", code=63, count=1))]
    infra = [("node", dict(node=NODE, cpu_usage_ratio=0.3, memory_used_mib=64_000, memory_total_mib=256_000,
                           network_receive_bytes_total=10**9 + 10**6 * n)),
             ("kube", dict(namespace="llm", pod="llama-0", node=NODE, ready_ratio=1, restarts_total=0)),
             ("kube", dict(namespace="llm", deployment="llama", desired_replicas=1, ready_replicas=1, pending_pods=0))]
    for topic, samples in (GPUS, gpus), (INFRA, infra):
        sampler.send(topic, 0, json.dumps([sampler.event(topic, 0, kind, body) for kind, body in samples]))


gateway, engine = Process("gw-0", "gateway", 2, role="gateway"), Process("llama-0", "engine", 2, role="engine")
sampler = Process("sampler-a", "scrape")

engine.tell(INFRA, 0, "instance_event", state="starting", boot_started_unix_nano=engine.started)
engine.tell(INFRA, 0, "instance_event", state="ready", boot_started_unix_nano=engine.started, engine="vllm",
            model=MODEL, gpu_uuids=[GPU], gpu_type="H200", tensor_parallel=1, max_sequences=256, kv_block_tokens=16,
            namespace="llm", deployment="llama", pod="llama-0", node=NODE)
serve(gateway, engine, "r1", output=34)
sample_engine(engine, tokens=34), sample_node(sampler, 1)
for process in (gateway, engine, sampler):
    process.beat()
serve(gateway, engine, "r2", output=20, preempted=True)
serve(gateway, engine, "r3", output=9, client_leaves=True)
log_line(engine, "r4")
sample_engine(engine, tokens=34 + 20 + 9 + 64), sample_node(sampler, 2)
engine.tell(INFRA, 0, "instance_event", state="draining", boot_started_unix_nano=engine.started)
for process in (gateway, engine, sampler):
    process.beat("stopped")
left = kafka.flush(10)
if left or failed:
    sys.exit(f"not delivered within 10 s: {left}; failed: {len(failed)} {failed[:1]}")
