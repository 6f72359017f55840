import inferlake.v1.Events.EngineSample;
import inferlake.v1.Events.Event;
import inferlake.v1.Events.FinishReason;
import inferlake.v1.Events.InstanceEvent;
import inferlake.v1.Events.InstanceState;
import inferlake.v1.Events.Outcome;
import inferlake.v1.Events.Phase;
import inferlake.v1.Events.RequestEvent;
import inferlake.v1.Events.Role;
import inferlake.v1.Events.TokenConvention;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Tells Inferlake of requests as an engine would, in protobuf: every phase, samples of the engine, heartbeats.
 *
 * <pre>mvn -q compile exec:java -Dexec.args=localhost:9092</pre>
 *
 * <p>docs/events.md says what the fields mean. A field that is not set is unknown; a 0 is a fact.
 */
public final class Producer implements AutoCloseable {
    private static final String REQUESTS = "inferlake.requests";
    private static final String ENGINES = "inferlake.engines";
    private static final String INFRA = "inferlake.infra";
    private static final String MODEL = "llama-3-8b";
    private static final int LANES = 2;

    /** Where events are numbered. */
    private record Lane(String topic, int number) {}

    private final String instance;
    private final String boot = UUID.randomUUID().toString(); // another one at each start
    private final long started = now();
    private final long origin = System.nanoTime();
    private final Map<Lane, Long> next = new LinkedHashMap<>();
    private final AtomicReference<Exception> failed = new AtomicReference<>();
    private final KafkaProducer<String, byte[]> kafka;

    Producer(String brokers, String instance) {
        this.instance = instance;
        // Idempotent: in order and without repeats, also when the client has to send again.
        kafka = new KafkaProducer<>(
                Map.of("bootstrap.servers", brokers, "enable.idempotence", true, "acks", "all", "linger.ms", 5),
                new StringSerializer(), new ByteArraySerializer());
    }

    /**
     * Numbers an event and sends it. Synchronized, so that events go out in the order of their numbers. It waits while
     * there is no broker or the buffer is full, up to max.block.ms: an engine calls it from a thread of its own.
     */
    private synchronized void send(Lane lane, Event.Builder event) {
        long seq = next.merge(lane, 1L, Long::sum) - 1;
        byte[] value = event
                .setProducer(instance).setBoot(boot).setLane(lane.number).setSeq(seq)
                .setSource("engine").setInstance(instance).setRole(Role.ROLE_ENGINE)
                .setTimeUnixNano(now()).setMonoNano(System.nanoTime() - origin).setClockDomain(boot)
                .build().toByteArray();
        var record = new ProducerRecord<>(lane.topic, instance + "/" + lane.number, value);
        record.headers().add("content-type", "application/x-protobuf".getBytes());
        kafka.send(record, (metadata, error) -> failed.compareAndSet(null, error));
    }

    /** All events of a request go to one lane. */
    void request(String id, Phase phase, RequestEvent.Builder what) {
        what.setRequestId(id).setPhase(phase);
        send(new Lane(REQUESTS, Math.floorMod(id.hashCode(), LANES)), Event.newBuilder().setRequest(what));
    }

    void sample(EngineSample.Builder what) {
        send(new Lane(ENGINES, 0), Event.newBuilder().setEngine(what.setStartedUnixNano(started)));
    }

    void entered(InstanceState state, InstanceEvent.Builder what) {
        what.setState(state).setBootStartedUnixNano(started);
        send(new Lane(INFRA, 0), Event.newBuilder().setInstanceEvent(what));
    }

    /** Says on each lane that nothing is missing so far: every few seconds as a heartbeat, at the end as stopped. */
    synchronized void beat(InstanceState state) {
        for (var lane : Map.copyOf(next).entrySet()) {
            send(lane.getKey(), Event.newBuilder().setInstanceEvent(InstanceEvent.newBuilder()
                    .setState(state).setLastSeq(lane.getValue()).setBootStartedUnixNano(started)));
        }
    }

    /** Says stopped and waits until all is delivered. */
    @Override
    public void close() throws Exception {
        beat(InstanceState.INSTANCE_STATE_STOPPED);
        kafka.close(Duration.ofSeconds(30));
        if (failed.get() != null) {
            throw failed.get();
        }
    }

    private static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }

    /** One request; whether it loses its place in the batch, and whether its client leaves before the end. */
    private static void serve(Producer out, String id, int tokens, boolean preempted, boolean leaves)
            throws InterruptedException {
        out.request(id, Phase.PHASE_RECEIVED, RequestEvent.newBuilder().setModel(MODEL).setStream(true)
                .setTokenConvention(TokenConvention.TOKEN_CONVENTION_INCLUSIVE).setPromptTokens(900));
        out.request(id, Phase.PHASE_QUEUED, RequestEvent.newBuilder().setRunningRequests(3).setWaitingRequests(0));
        out.request(id, Phase.PHASE_SCHEDULED, RequestEvent.newBuilder()
                .setTokenConvention(TokenConvention.TOKEN_CONVENTION_INCLUSIVE).setCachedLocalTokens(640));
        out.request(id, Phase.PHASE_KV_TRANSFER, RequestEvent.newBuilder()
                .setOccurrence(1).setKvTransferNano(2_000_000).setKvTransferBytes(80 << 20));
        for (int n = 1; n <= tokens; n++) {
            Thread.sleep(5); // a forward pass
            if (n == 1) {
                out.request(id, Phase.PHASE_FIRST_TOKEN, RequestEvent.newBuilder());
                out.request(id, Phase.PHASE_FIRST_BYTE, RequestEvent.newBuilder());
            }
            if (n == 5) { // four were reasoning
                out.request(id, Phase.PHASE_FIRST_ANSWER_TOKEN, RequestEvent.newBuilder());
            }
            if (n == 6 && preempted) {
                out.request(id, Phase.PHASE_PREEMPTED, RequestEvent.newBuilder()
                        .setOccurrence(1).setPreemptions(1).setRecomputedTokens(906));
            }
            if (n % 8 == 0) { // now and then, so that long requests are seen while they run
                out.request(id, Phase.PHASE_TOKENS, RequestEvent.newBuilder().setOutputTokens(n).setReasoningTokens(4));
            }
        }
        if (leaves) {
            out.request(id, Phase.PHASE_CLIENT_GONE, RequestEvent.newBuilder());
        }
        out.request(id, Phase.PHASE_FINISHED, RequestEvent.newBuilder()
                .setOutputTokens(tokens).setReasoningTokens(4)
                .setOutcome(leaves ? Outcome.OUTCOME_CANCELLED : Outcome.OUTCOME_OK)
                .setFinishReason(leaves ? FinishReason.FINISH_REASON_ABORT : FinishReason.FINISH_REASON_STOP)
                .setHttpStatus(leaves ? 499 : 200));
    }

    private static void sample(Producer out, long tokens) {
        out.sample(EngineSample.newBuilder().setModel(MODEL)
                .setRunningRequests(4).setWaitingRequests(0).setKvCacheUsageRatio(0.25).setOutputTokensTotal(tokens));
    }

    public static void main(String[] args) throws Exception {
        try (var out = new Producer(args[0], "llama-java-0")) {
            out.entered(InstanceState.INSTANCE_STATE_STARTING, InstanceEvent.newBuilder());
            out.entered(InstanceState.INSTANCE_STATE_READY, InstanceEvent.newBuilder()
                    .setEngine("vllm").setModel(MODEL).setGpuCount(1).setGpuType("H200").setMaxSequences(256));
            serve(out, "r1", 34, false, false);
            sample(out, 34);
            out.beat(InstanceState.INSTANCE_STATE_HEARTBEAT);
            serve(out, "r2", 20, true, false);
            serve(out, "r3", 9, false, true);
            sample(out, 34 + 20 + 9);
        }
    }
}
