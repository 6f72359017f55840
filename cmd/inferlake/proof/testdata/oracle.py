"""What the warehouse must hold, computed from a ledger of what was sent.

    python3 oracle.py LEDGER [log=LOG] [name=seconds ...] > ANSWER

An independent statement of the contract: it shares no code with the program, keeps everything in memory, and for each
request keeps all that was said and decides at the end. It is slow and plain on purpose. From the order of records
it takes only what the contract says depends on the log: the two clocks, what is late, when a silent request is lost,
which life an id belongs to, and which sample is stale. That order is the ledger's, or where a broker died meanwhile
the one of LOG, which lists the records that a log holds: then it also asks that the log holds all that was sent and
nothing else.

The ledger ends with a quiet log: everything still open expires, everything held is written.

The answer has a line for each row: the table's name and the columns, separated by tabs. Unknown is "-".
Times are microseconds, durations nanoseconds.
"""

import bisect
import collections
import json
import sys

S = 10**9
WINDOW = 10 * S
UNKNOWN = None

rules = {"bound": 10, "skew": 300, "expiry": 3600, "closed": 900, "life": 86400}

MARKS = {
    "received": "received_unix_nano", "queued": "queued_unix_nano", "scheduled": "scheduled_unix_nano",
    "first_byte": "first_byte_unix_nano", "first_token": "first_token_unix_nano",
    "first_answer_token": "first_answer_unix_nano", "tokens": "last_token_unix_nano",
    "client_gone": "client_gone_unix_nano", "finished": "finished_unix_nano",
}  # phase: the mark that it sets
LAST_MARKS = {"last_token_unix_nano", "finished_unix_nano"}
DESCRIPTIVE = ["join_key", "trace_id", "model", "model_version", "adapter", "request_class", "tenant", "session",
               "deployment", "namespace", "node", "pod", "service_tier"]
COUNTS = ["prompt_tokens", "cached_local_tokens", "cached_external_tokens", "cached_host_tokens",
          "cache_write_5m_tokens", "cache_write_1h_tokens", "output_tokens", "reasoning_tokens", "max_tokens",
          "priority", "images", "running_requests", "waiting_requests", "running_tokens", "waiting_tokens"]
PROGRESS = ["drafted_tokens", "accepted_tokens", "prefilled_tokens"]  # so far; an end has the last word
TOTALS = ["recomputed_tokens", "preemptions", "preempted_nano", "kv_transfer_nano", "kv_transfer_bytes"]
MEASURED = ["queue_nano", "prefill_nano", "decode_nano", "e2e_nano", "ttft_gateway_nano", "ttft_engine_nano",
            "ttft_scheduled_nano", "ttft_byte_nano", "ttft_answer_nano", "tokenize_nano", "detokenize_nano"]
BOOLEANS = ["probe", "retry", "stream", "response_cache_hit"]
CACHED = ["cached_local_tokens", "cached_external_tokens", "cached_host_tokens"]
WRITTEN = ["cache_write_5m_tokens", "cache_write_1h_tokens"]
SEVERITY = ["lost", "unknown", "ok", "cancelled", "rejected", "timeout", "error"]  # least first
REASONS = [None, "stop", "length"]  # least first; the ledgers contradict themselves in these only

GAUGES = {
    "engine": ["running_requests", "waiting_requests", "kv_cache_usage_ratio"],
    "gpu": ["sm_active_ratio", "power_milliwatts", "temperature_celsius"],
    "node": ["cpu_usage_ratio"],
    "kube": ["ready_ratio"],
}
COUNTERS = {
    "engine": ["output_tokens_total", "prompt_tokens_total", "preemptions_total"],
    "gpu": ["energy_millijoules_total"],
    "node": ["page_faults_total"],
    "kube": ["restarts_total"],
}


def window(t):
    return t // WINDOW * WINDOW


def show(v):
    if v is UNKNOWN or v == "":
        return "-"
    if v is True or v is False:
        return "true" if v else "false"
    if isinstance(v, (list, tuple)):
        return "[" + ",".join(str(x) for x in v) + "]"
    return str(v)


def emit(table, *columns):
    print("\t".join([table] + [show(c) for c in columns]))


def micros(t):
    return UNKNOWN if t is UNKNOWN else t // 1000


# A request.

class Request:
    """One life of one identity: everything that was said about it."""

    def __init__(self, partition, identity, first):
        self.partition, self.identity, self.first = partition, identity, first
        self.said = []  # (rank, is it a finished event, event, body)
        self.flags = set()
        self.late = False
        self.touched = 0  # log clock of its last event
        self.closed_at = UNKNOWN
        self.lost_at = UNKNOWN  # its end, where nobody told it

    def add(self, rank, event, body, flags, late, log):
        self.said.append((rank, body["phase"] == "finished", event, body))
        self.flags |= flags
        self.late |= late
        if self.closed_at is UNKNOWN:
            self.touched = log

    def all(self, field):
        """Every value of a field with its rank and whether an end told it."""
        return [(r, end, b[field]) for r, end, _, b in self.said if field in b]

    def lose(self, log):
        self.lost_at = max((best[0] for best in decided_marks(self).values()), default=self.touched)
        self.closed_at = log


def decided_marks(q):
    """Each mark with its reading of a monotonic clock and whether an end told it: higher rank, then first or last."""
    decided = {}
    for phase, mark in MARKS.items():
        told = []
        for r, end, e, b in q.said:
            if mark in b:
                own = b["phase"] == phase and "clock_domain" in e and "mono_nano" in e
                # The reading is the event's own moment: it belongs to the mark that the phase sets.
                reading = (e["clock_domain"], e["mono_nano"]) if own else UNKNOWN
                sign = 1 if mark in LAST_MARKS else -1
                key = ((r, end), sign * b[mark], reading is not UNKNOWN, sign * reading[1] if reading else 0)
                told.append((key, b[mark], reading, end))
        if told:
            decided[mark] = max(told, key=lambda x: x[0])[1:]
    return decided


def decide(q):
    """The row of a request, as a dictionary. None is unknown."""
    row = dict.fromkeys(DESCRIPTIVE + COUNTS + PROGRESS + TOTALS + MEASURED + BOOLEANS)
    row["flags"] = set(q.flags)
    row["marks"] = decided_marks(q)
    if q.lost_at is not UNKNOWN and "finished_unix_nano" not in row["marks"]:
        row["marks"]["finished_unix_nano"] = (q.lost_at, UNKNOWN, False)
    decide_values(q, row)
    decide_tokens(q, row)
    decide_ending(q, row)
    decide_times(row)
    decide_durations(q, row)
    decide_passes(q, row)
    return row


def decide_values(q, row):
    for f in DESCRIPTIVE:
        told = q.all(f)
        if told:
            row[f] = max((r, v.encode()) for r, _, v in told)[1].decode()
            if len({v for _, _, v in told}) > 1:
                row["flags"].add("conflict")
    for f in COUNTS + MEASURED:
        told = q.all(f)
        if f == "output_tokens":  # before the end it is progress
            told = [x for x in told if x[1]]
        if told:
            row[f] = max(told)[2]
    for f in PROGRESS:
        said = q.all(f)
        ends = [v for _, end, v in said if end]
        on_the_way = [v for _, end, v in said if not end]
        if said:
            row[f] = max(ends or on_the_way)
        if ends and on_the_way and max(ends) < max(on_the_way):
            row["flags"].add("fewer_than_seen")
    for f in TOTALS + BOOLEANS:
        told = q.all(f)
        if told:
            row[f] = max(v for _, _, v in told)


def decide_tokens(q, row):
    seen = max([v for _, end, v in q.all("output_tokens") if not end], default=0)
    if row["output_tokens"] is not UNKNOWN and row["output_tokens"] < seen:
        row["flags"].add("fewer_than_seen")
    row["output"] = row["output_tokens"] if row["output_tokens"] is not UNKNOWN else (seen or UNKNOWN)
    row["cached_said"] = sum(row[f] or 0 for f in CACHED)
    row["cached_known"] = any(row[f] is not UNKNOWN for f in CACHED)
    if row["prompt_tokens"] is not UNKNOWN and row["cached_said"] > row["prompt_tokens"]:
        row["flags"].add("cached_over_prompt")
    sketches = [(sum(b["itl_count"]), b["itl_bucket"], b["itl_count"]) for _, _, _, b in q.said if b.get("itl_bucket")]
    row["itl"] = max(sketches)[1:] if sketches else UNKNOWN


def decide_ending(q, row):
    """The most severe ending; a lost one is a guess, which contradicts nothing."""
    endings = []
    for _, end, _, b in q.said:
        if end:
            outcome = b.get("outcome") or implied(b.get("finish_reason"), b.get("http_status"))
            endings.append((SEVERITY.index(outcome), REASONS.index(b.get("finish_reason")), b.get("http_status", 0)))
    if len({e[0] for e in endings if SEVERITY[e[0]] != "lost"}) > 1:
        row["flags"].add("outcome_conflict")
    if q.lost_at is not UNKNOWN:
        endings.append((SEVERITY.index("lost"), 0, 0))
    outcome, reason, status = max(endings)
    row["outcome"], row["finish_reason"], row["http_status"] = SEVERITY[outcome], REASONS[reason], status or UNKNOWN


def decide_times(row):
    marks = row["marks"]
    for name, mark in [("received", "received_unix_nano"), ("queued", "queued_unix_nano"), ("scheduled", "scheduled_unix_nano"),
                       ("first_byte", "first_byte_unix_nano"), ("first_token", "first_token_unix_nano"),
                       ("first_answer", "first_answer_unix_nano"), ("client_gone", "client_gone_unix_nano"),
                       ("last_token_told", "last_token_unix_nano"), ("finished", "finished_unix_nano")]:
        row[name] = marks[mark][0] if mark in marks else UNKNOWN
    e2e = row["e2e_nano"]
    if row["received"] is UNKNOWN and e2e is not UNKNOWN and 0 <= e2e < row["finished"]:
        row["received"] = row["finished"] - e2e
        row["flags"].add("derived_received")
    told = [mark[0] for mark in marks.values()]
    row["span"] = max(told) - min(told) > rules["life"] * S
    if row["span"]:
        row["flags"].add("span")

    # The last token's own mark, unless that is only progress on the way to a good end.
    row["last_mark"] = UNKNOWN
    own = marks.get("last_token_unix_nano")
    if own and own[2]:
        row["last_mark"] = "last_token_unix_nano"
    elif row["outcome"] == "ok" and "first_token_unix_nano" in marks:
        row["last_mark"] = "finished_unix_nano"
    elif own:
        row["last_mark"] = "last_token_unix_nano"
    row["last_token"] = marks[row["last_mark"]][0] if row["last_mark"] else UNKNOWN


def between(row, a, b):
    """Time from mark to mark: on one monotonic clock where both have it, else on the wall clock; None when unknown."""
    x, y = row["marks"].get(a), row["marks"].get(b)
    if a == "received_unix_nano" and not x and row["received"] is not UNKNOWN:
        x = (row["received"], UNKNOWN)
    if not x or not y:
        return UNKNOWN
    if x[1] and y[1] and x[1][0] == y[1][0]:
        return y[1][1] - x[1][1]
    return y[0] - x[0]


def decide_durations(q, row):
    R, Q, C, F = "received_unix_nano", "queued_unix_nano", "scheduled_unix_nano", "first_token_unix_nano"
    role = q.identity[2]
    own_ttft = "ttft_gateway_nano" if role in ("gateway", "client") else "ttft_engine_nano"
    for name, a, b, measured in [("ttft", R, F, own_ttft), ("queue", Q, C, "queue_nano"), ("rest", R, Q, UNKNOWN),
                                 ("prefill", C, F, "prefill_nano"), ("decode", F, row["last_mark"], "decode_nano"),
                                 ("e2e", R, "finished_unix_nano", "e2e_nano")]:
        d = between(row, a, b)
        if d is UNKNOWN or d < 0:
            d = row[measured] if measured else UNKNOWN
        row[name] = UNKNOWN if d is UNKNOWN or d < 0 or row["span"] else d
    row["tpot"] = UNKNOWN
    if row["decode"] is not UNKNOWN and (row["output"] or 0) >= 2:
        row["tpot"] = row["decode"] // (row["output"] - 1)

    taken = [between(row, a, b) for a, b in [(R, Q), (R, F), (R, "finished_unix_nano"), (Q, C), (C, F), (F, "last_token_unix_nano")]]
    if any(d is not UNKNOWN and d < 0 for d in taken + [row[f] for f in MEASURED]):
        row["flags"].add("negative_duration")


def decide_passes(q, row):
    steps = [(b["phase"], b["engine_step"]) for _, _, _, b in q.said if b.get("engine_step")]
    row["step_first"] = min([s for p, s in steps if p == "scheduled"], default=UNKNOWN)
    row["step_last"] = max([s for _, s in steps], default=UNKNOWN)


def implied(reason, status):
    """The outcome of a source that tells only a reason or a status."""
    if status == 499:
        return "cancelled"
    if status in (408, 504):
        return "timeout"
    if status == 429:
        return "rejected"
    if (status or 0) >= 400:
        return "error"
    if reason in ("stop", "length") or 200 <= (status or 0) < 400:
        return "ok"
    return "unknown"


# Windows.

def bucket(v):
    """docs/events.md: each value below 64 its own, then 64 a doubling."""
    shift = max(0, v.bit_length() - 7)
    return v if v < 64 else shift * 64 + (v >> shift)


def middle(b):
    if b < 128:
        return b
    shift = b // 64 - 1
    low = (b - shift * 64) << shift
    return low + ((1 << shift) - 1) // 2


def spread(v, a, b):
    """Parts of v over the windows of [a, b]: cumulative rounding down, so that they add up to v."""
    if b <= window(a) + WINDOW:
        yield window(a), v
        return
    before, start = 0, window(a)
    while start < b:
        upto = v if start + WINDOW >= b else v * (start + WINDOW - a) // (b - a)
        yield start, upto - before
        before, start = upto, start + WINDOW


SUMS = ["arrivals", "finished", "ok", "errors", "timeouts", "rejected", "cancelled", "lost", "unknown_outcome",
        "http_4xx", "http_5xx", "first_tokens", "clients_gone", "preemptions", "unknown_usage", "cache_known",
        "late_requests", "prompt_tokens", "cached_tokens", "cache_known_prompt_tokens", "output_tokens",
        "reasoning_tokens", "waiting_ns", "running_ns", "prefill_ns", "decode_ns"]
OUTCOMES = {"ok": "ok", "error": "errors", "timeout": "timeouts", "rejected": "rejected", "cancelled": "cancelled",
            "lost": "lost", "unknown": "unknown_outcome"}

sums = collections.defaultdict(lambda: dict.fromkeys(SUMS, 0))  # (window, dimensions): sums
sketches = collections.defaultdict(list)  # (window, dimensions, measure): observations


def first_known(*values):
    return next((v for v in values if v is not UNKNOWN), UNKNOWN)


def book(q, row):
    instance, _, role = q.identity[:3]
    dims = (role, instance, row["model"], row["model_version"], row["adapter"], row["request_class"])

    def moment(t, measure, v=1):
        if t is not UNKNOWN and v:
            sums[(window(t), dims)][measure] += v

    def over(a, b, measure, v, time=False):
        if a is UNKNOWN or b is UNKNOWN or not v or (time and row["span"]):
            return
        if row["span"]:
            a = b
        for w, part in spread(v, a, b):
            sums[(w, dims)][measure] += part

    end = row["finished"]
    moment(row["received"], "arrivals")
    moment(end, "finished")
    moment(end, OUTCOMES[row["outcome"]])
    moment(end, "http_4xx", (row["http_status"] or 0) // 100 == 4)
    moment(end, "http_5xx", (row["http_status"] or 0) // 100 == 5)
    moment(row["first_token"], "first_tokens")
    moment(row["client_gone"], "clients_gone")
    moment(end, "preemptions", row["preemptions"])
    moment(end, "unknown_usage", row["output"] is UNKNOWN and row["outcome"] == "ok")
    moment(end, "cache_known", row["cached_known"])
    moment(end, "late_requests", q.late)

    prompt = row["prompt_tokens"] or 0
    if q.identity[6]:
        prompt = 0  # the prompt of n choices counts once, at the first
    b = first_known(row["first_token"], end)
    a = min(first_known(row["scheduled"], row["queued"], row["received"], b), b)
    over(a, b, "prompt_tokens", prompt)
    over(a, b, "cached_tokens", min(row["cached_said"], prompt))
    over(a, b, "cache_known_prompt_tokens", prompt if row["cached_known"] else 0)
    b = first_known(row["last_token"], end)
    a = min(first_known(row["first_token"], b), b)
    over(a, b, "output_tokens", row["output"])
    over(a, b, "reasoning_tokens", row["reasoning_tokens"])
    for a, b, measure in [("queued", "scheduled", "waiting_ns"), ("scheduled", "finished", "running_ns"),
                          ("scheduled", "first_token", "prefill_ns"), ("first_token", "last_token", "decode_ns")]:
        a, b = row[a], row[b]
        if a is not UNKNOWN and b is not UNKNOWN and b >= a:
            over(a, b, measure, b - a, time=True)

    well = end if row["outcome"] == "ok" else UNKNOWN
    for measure, t, v in [
            ("ttft", row["first_token"], row["ttft"]), ("queue", row["scheduled"], row["queue"]),
            ("prefill", row["first_token"], row["prefill"]), ("decode", well, row["decode"]),
            ("tpot", well, row["tpot"]), ("e2e", well, row["e2e"]),
            ("prompt_length", end, row["prompt_tokens"]), ("output_length", end, row["output"])]:
        if t is not UNKNOWN and v is not UNKNOWN:
            sketches[(window(t), dims, measure)].append((v, bucket(v) if v else 0, 1))
    if row["itl"]:
        for b, n in zip(*row["itl"]):
            sketches[(window(end), dims, "itl")].append((middle(b), b, n))


def cached_tokens(row):
    """Never more than the prompt; unknown when no source told."""
    if not row["cached_known"]:
        return UNKNOWN
    return row["cached_said"] if row["prompt_tokens"] is UNKNOWN else min(row["cached_said"], row["prompt_tokens"])


def emit_request(q, row):
    instance, boot, role, dp, rid, attempt, choice, ordinal = q.identity
    e = q.first
    emit("requests", *q.partition, instance, dp, role, boot, e.get("producer"), e.get("source"), rid, attempt, choice,
         *[row[f] for f in DESCRIPTIVE], row["outcome"], row["finish_reason"], row["http_status"],
         row["prompt_tokens"],
         cached_tokens(row),
         *[row[f] for f in CACHED + WRITTEN], row["output"], row["reasoning_tokens"],
         *[row[f] for f in ["drafted_tokens", "accepted_tokens", "recomputed_tokens", "prefilled_tokens"] + TOTALS[1:]],
         *[row[f] for f in ["max_tokens", "priority", "images", "running_requests", "waiting_requests", "running_tokens", "waiting_tokens"]],
         *[row[f] for f in BOOLEANS],
         *[micros(row[f]) for f in ["received", "queued", "scheduled", "first_byte", "first_token", "first_answer",
                                    "client_gone", "last_token_told", "finished"]],
         *[row[f] for f in ["ttft", "queue", "rest", "prefill", "decode", "e2e"]],
         *[row[f] if row[f] is not UNKNOWN and row[f] >= 0 else UNKNOWN for f in MEASURED[4:]],
         row["step_first"], row["step_last"], sorted(row["flags"]), q.late, len(q.said))


# Samples.

class Levels:
    """The gauges and counters of one source, told by samples in the order of the log."""

    def __init__(self, kind, boot):
        self.kind, self.boot = kind, boot
        self.last = {}  # measure: (time, value, end of its own duration or None)
        self.times = []  # of samples, ascending; only the last two matter
        self.started = 0


observed = collections.defaultdict(lambda: [0, 0, UNKNOWN, UNKNOWN, 0])  # value·ns, ns, min, max, increase
samples = collections.Counter()  # (window, series): samples that told something new


def hold(key, measure, v, a, b):
    for w in range(window(a), b, WINDOW):
        ns = min(b, w + WINDOW) - max(a, w)
        cell = observed[(w, key, measure)]
        cell[0] += v * ns
        cell[1] += ns


def sample(levels, key, t, body, watch):
    """watch is the earliest event time of the partition so far. It says whether later samples leave this one nothing to say."""
    ratio = lambda m, v: round(v * 10**6) if m.endswith("_ratio") else int(v)
    fresh = stale = False
    for m in GAUGES[levels.kind] + COUNTERS[levels.kind]:
        if m not in body:
            continue
        v, before = ratio(m, body[m]), levels.last.get(m)
        if before and t <= before[0]:
            stale = True
            continue
        fresh = True
        name = m.replace("_ratio", "_ppm")
        if m in GAUGES[levels.kind]:
            cell = observed[(window(t), key, name)]
            cell[2] = v if cell[2] is UNKNOWN else min(cell[2], v)
            cell[3] = v if cell[3] is UNKNOWN else max(cell[3], v)
            if before:
                hold_until(levels, key, name, before, t)
            dt = body.get("dt_nano")
            levels.last[m] = (t, v, t + min(dt, rules["life"] * S) if dt else UNKNOWN)
        else:
            count(levels, key, name, before, t, v, body.get("started_unix_nano", 0), watch)
            levels.last[m] = (t, v, UNKNOWN)
    if fresh:
        samples[(window(t), key)] += 1
        stale = False
    if not levels.times or t > levels.times[-1]:
        levels.times = levels.times[-1:] + [t]
        levels.started = max(levels.started, body.get("started_unix_nano", 0))
    return stale


def hold_until(levels, key, name, before, t):
    """A level holds for its own duration, else for three intervals, and never beyond the next sample."""
    at, v, until = before
    if until is UNKNOWN:
        if len(levels.times) == 2:
            until = at + 3 * (levels.times[1] - levels.times[0])
        elif t is not UNKNOWN:
            until = t
        else:
            return  # one sample alone has no interval
    hold(key, name, v, at, until if t is UNKNOWN else min(until, t))


def count(levels, key, name, before, t, v, started, watch):
    if not before:
        if not (started and watch <= started <= t):
            return  # counted from an unknown time: only what it gains from now on is known
        a, gain = started, v
    elif levels.started < started <= t:
        a, gain = max(before[0], started), v
    elif v < before[1]:
        a, gain = before[0], v
    else:
        a, gain = before[0], v - before[1]
    a = max(a, t - rules["life"] * S)
    if gain <= 0:
        return
    for w, part in spread(gain, a, t):
        observed[(w, key, name)][4] += part


# The log.

class Lane:
    def __init__(self):
        self.seqs, self.duplicates, self.announced, self.stopped = set(), 0, UNKNOWN, False
        self.times = []


class Partition:
    """One log in its order."""

    def __init__(self, name):
        self.name = name
        self.log, self.clock_steps = 0, []  # the log clock, and all values that it has had
        self.greatest, self.watch = 0, UNKNOWN  # event times
        self.lanes = collections.defaultdict(Lane)
        self.requests, self.done = {}, []
        self.series = {}
        self.boots = {}  # instance: its newest boot and when that started
        self.counts = collections.Counter()

    def record(self, sent):
        if sent < 2**61 and sent > self.log:  # send times of the far future are not believed: the ledger of the run says so
            self.log = sent
            self.clock_steps.append(sent)

    def times(self, event, body):
        """Sees the event's times; says whether it is late and whether a time was replaced by the log clock."""
        limit, clamped = self.log + rules["skew"] * S, False
        for mark in MARKS.values():
            if "phase" in body and body.get(mark, 0) > limit:
                body[mark], clamped = self.log, True
        t = event.get("time_unix_nano", body.get("finished_unix_nano", 0))
        if t > limit:
            t, clamped = self.log, True
        event["time_unix_nano"] = t
        late = self.greatest != 0 and t < self.greatest - rules["bound"] * S
        self.greatest = max(self.greatest, t)
        self.watch = t if self.watch is UNKNOWN else min(self.watch, t)
        return late, clamped

    def event(self, event):
        self.counts["consumed"] += 1
        kind = next(k for k in ("request", "engine", "step_run", "gpu", "gpu_fault", "node", "kube", "instance_event") if k in event)
        body = event[kind]
        late, clamped = self.times(event, body)
        if kind == "instance_event":
            self.restart(event, body)
        lane = self.lanes[(event["producer"], event["boot"], event["lane"])]
        if body.get("state") == "heartbeat":
            if "last_seq" in body:
                lane.announced = max(lane.announced or 0, body["last_seq"])
            self.counts["loaded"] += 1
            return
        if event["seq"] in lane.seqs:
            lane.duplicates += 1
            self.counts["duplicate"] += 1
            return
        lane.seqs.add(event["seq"])
        lane.times.append(event["time_unix_nano"])
        lane.stopped |= body.get("state") == "stopped"
        self.counts["late"] += late
        self.counts["loaded"] += 1
        if kind == "request":
            self.request(event, body, late, clamped)
        elif kind in GAUGES:
            self.sample(kind, event, body)
        self.counts["rows " + kind] += 1

    def restart(self, event, body):
        """A newer boot of an instance ends the open requests of its older ones: nobody will tell how they ended."""
        who = (event["instance"], event["role"], event.get("dp_index", 0))
        started, boot = body.get("boot_started_unix_nano", 0), event["boot"]
        known = self.boots.get(who)
        if not started or known and (started < known[0] or boot == known[1]):
            return
        self.boots[who] = (started, boot)
        for identity in [i for i in self.requests if known and (i[0], i[2], i[3]) == who and i[1] != boot]:
            q = self.living(identity)
            if q and q.closed_at is UNKNOWN:
                q.flags.add("restarted")
                q.lose(self.log)

    def request(self, event, body, late, clamped):
        flags = {"clock"} if clamped else set()
        phase = body["phase"]
        if phase in MARKS:
            body.setdefault(MARKS[phase], event["time_unix_nano"])
        if phase == "preempted" or phase == "scheduled" and body.get("occurrence", 0) >= 2:
            self.counts["rows mark"] += 1
        if phase == "preempted":
            body["preemptions"] = max(1, body.get("occurrence", 0), body.get("preemptions", 0))
        self.inclusive(body, flags)

        identity = (event["instance"], event["boot"], event["role"], event.get("dp_index", 0), body["request_id"],
                    body.get("attempt", 0), body.get("choice", 0), body.get("ordinal", 0))
        q = self.living(identity)
        if q and not identity[7] and phase == "received":
            known = decided_marks(q).get("received_unix_nano")
            if known and known[0] != body["received_unix_nano"]:
                if q.closed_at is UNKNOWN:  # the id serves two requests at once
                    q.flags.add("ambiguous_id")
                    flags.add("ambiguous_id")
                    q.lose(self.log)
                self.done.append(q)
                q = None
        if not q:
            q = self.requests[identity] = Request(self.name, identity, event)
        q.add(event.get("rank", 0), event, body, flags, late, self.log)
        if phase == "finished" or "finished_unix_nano" in body:
            if q.closed_at is UNKNOWN:
                q.closed_at = self.log

    def inclusive(self, body, flags):
        parts = [f for f in CACHED + WRITTEN if f in body]
        if not parts:
            return
        if body.get("token_convention") == "exclusive":
            if "prompt_tokens" in body:
                body["prompt_tokens"] += sum(body[f] for f in parts)
        elif "token_convention" not in body:
            flags.add("no_convention")

    def living(self, identity):
        """The request that an identity stands for now: open, or closed not long ago."""
        q = self.requests.get(identity)
        if q is None:
            return None
        if q.closed_at is UNKNOWN:
            silent = self.first_clock_after(q.touched + rules["expiry"] * S)
            if silent is not UNKNOWN:
                self.expire(q, silent)
        if q.closed_at is not UNKNOWN and self.log > q.closed_at + rules["closed"] * S:
            self.done.append(self.requests.pop(identity))
            return None
        return q

    def first_clock_after(self, t):
        i = bisect.bisect_right(self.clock_steps, t)
        return self.clock_steps[i] if i < len(self.clock_steps) else UNKNOWN

    def expire(self, q, log):
        q.flags.add("expired")
        q.lose(log)

    def sample(self, kind, event, body):
        key = (kind, event.get("instance"), event.get("dp_index", 0), body.get("gpu"), body.get("node"), body.get("namespace"),
               body.get("deployment"), body.get("pod"), body.get("model") if kind == "engine" else UNKNOWN,
               body.get("model_version") if kind == "engine" else UNKNOWN)
        levels = self.series.setdefault((key, event["boot"]), Levels(kind, event["boot"]))
        self.counts["stale"] += sample(levels, key, event["time_unix_nano"], body, self.watch)

    def end(self):
        """The log falls silent: what is open is lost, the last levels hold for as long as they may."""
        for q in self.requests.values():
            if q.closed_at is UNKNOWN:
                self.expire(q, self.log)
        self.done += self.requests.values()
        for (key, _), levels in self.series.items():
            for m in GAUGES[levels.kind]:
                if m in levels.last:
                    hold_until(levels, key, m.replace("_ratio", "_ppm"), levels.last[m], UNKNOWN)


def numbers(x):
    """JSON writes large numbers as texts; hashes stay texts."""
    if isinstance(x, dict):
        return {k: v if k in ("tenant", "session") or k.endswith("_id") else numbers(v) for k, v in x.items()}
    if isinstance(x, list):
        return [numbers(v) for v in x]
    if isinstance(x, str) and x.lstrip("-").isdigit():
        return int(x)
    return x


def identity_of(record):
    """Two records with the same are the same, wherever they stand."""
    return record["topic"], record["partition"], record["key"], record["sent"], record["value"]


def in_ledger_order(path):
    with open(path, encoding="utf-8") as ledger:
        for line in ledger:
            yield json.loads(line)


def in_log_order(path, log):
    """The ledger's lines in the order of the log, those of a record that it holds twice twice."""
    first, missing = {}, set()  # where the ledger tells of a record first; records that the log has not shown
    with open(path, "rb") as ledger, open(log, encoding="utf-8") as records:
        at = 0
        for line in ledger:
            who = identity_of(json.loads(line))
            first.setdefault(who, at)
            missing.add(who)
            at += len(line)
        for record in records:
            who = identity_of(json.loads(record))
            if who not in first:
                sys.exit(f"the log holds a record that nobody sent: {record}")
            missing.discard(who)
            ledger.seek(first[who])
            yield from lines_of_record(ledger)
    if missing:
        sys.exit(f"of {len(first)} records {len(missing)} are not on the log, among them {min(missing)}")


def lines_of_record(ledger):
    number = UNKNOWN
    for line in ledger:
        r = json.loads(line)
        if number not in (UNKNOWN, r["record"]):
            return
        number = r["record"]
        yield r


def main():
    log = UNKNOWN
    for setting in sys.argv[2:]:
        name, value = setting.split("=", 1)
        if name == "log":
            log = value
        else:
            rules[name] = float(value) if "." in value else int(value)
    partitions = {}
    for r in in_log_order(sys.argv[1], log) if log else in_ledger_order(sys.argv[1]):
        name = (r["topic"], r["partition"])
        p = partitions.setdefault(name, Partition(name))
        p.record(r["sent"])
        if "dead" in r:
            p.counts["consumed"] += 1
            p.counts["dead"] += 1
        else:
            p.event(numbers(r["event"]))
    for p in partitions.values():
        p.end()
        for q in p.done:
            row = decide(q)
            book(q, row)
            emit_request(q, row)
        emit("progress", *p.name, p.counts["consumed"], p.counts["loaded"], p.counts["duplicate"], p.counts["dead"], p.counts["late"],
             p.counts["stale"])
        for kind, table in [("engine", "engine_samples"), ("step_run", "step_runs"), ("gpu", "gpu_samples"), ("gpu_fault", "gpu_faults"),
                            ("node", "node_samples"), ("kube", "kube_samples"), ("instance_event", "instance_events"), ("mark", "request_marks")]:
            if p.counts["rows " + kind]:
                emit("rows", *p.name, table, p.counts["rows " + kind])
        for (producer, boot, number), lane in p.lanes.items():
            s = sorted(lane.seqs)
            gaps = sum(1 for a, b in zip(s, s[1:]) if b != a + 1)
            emit("producers", *p.name, producer, boot, number, s[0] if s else UNKNOWN, s[-1] if s else UNKNOWN, lane.announced,
                 len(s), gaps, micros(min(lane.times, default=UNKNOWN)), micros(max(lane.times, default=UNKNOWN)), lane.stopped)
    emit_windows()


def emit_windows():
    for (w, dims), row in sums.items():
        if any(row.values()):
            emit("request_windows", micros(w), *dims, *[row[m] for m in SUMS])
    for (w, dims, measure), seen in sketches.items():
        buckets = collections.Counter()
        for _, b, n in seen:
            buckets[b] += n
        zero = buckets.pop(0, 0)
        filled = sorted(buckets)
        emit("request_sketches", micros(w), *dims, measure, sum(n for _, _, n in seen), zero, sum(v * n for v, _, n in seen),
             filled, [buckets[b] for b in filled])
    emit_samples()


def emit_samples():
    """The sums of all gauges come first, then the increases of the counters, then the least and greatest levels."""
    rows = {(w, key) for w, key, _ in observed} | set(samples)
    for w, key in rows:
        gauges = [observed[(w, key, m.replace("_ratio", "_ppm"))] for m in GAUGES[key[0]]]
        counters = [observed[(w, key, m)] for m in COUNTERS[key[0]]]
        numbers = [samples[(w, key)]] + [n for g in gauges for n in g[:2]] + [c[4] for c in counters]
        if any(numbers):
            emit(key[0] + "_windows", micros(w), *dimensions(*key), *numbers, *[n for g in gauges for n in g[2:4]])


def dimensions(kind, instance, dp, gpu, node, namespace, deployment, pod, model, version):
    return {
        "engine": (instance, dp, model, version), "gpu": (instance, dp, gpu, node), "node": (instance, dp, node),
        "kube": (instance, dp, namespace, deployment, pod, node),
    }[kind]


if __name__ == "__main__":
    main()
