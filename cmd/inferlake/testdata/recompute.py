"""What the reports about requests must say, computed from the raw events of sources that behave.

    python3 recompute.py EVENTS PRICES > ANSWERS

EVENTS has an event a line, as JSON; PRICES is JSON: USD per GPU-hour by GPU type. It shares no code with the program, keeps
everything in memory and goes through it once a figure: slow and plain on purpose. It knows nothing of late, lost or repeated
events, of other lives of an id, nor of counters that begin anew.

ANSWERS is JSON: a list of questions, each with the report, its parameters, the columns that name a row, and its rows. A figure that
the report reads from a sketch is {"about": x}: within 1 % of x. Times are microseconds since 1970.
"""

import bisect
import collections
import json
import math
import sys

S = 10**9
WINDOW = 10 * S
MINUTE = 60 * S
PREFERRED = {
    "counts": ["gateway", "engine", "decode", "prefill", "client"],
    "prompt": ["engine", "prefill", "decode", "gateway", "client"],
    "output": ["engine", "decode", "prefill", "gateway", "client"],
}


def read(path):
    """The events, numbers as numbers: 64-bit ones are texts in JSON."""
    for line in open(path):
        event = json.loads(line)
        kind = next(k for k in event if isinstance(event[k], dict))
        body = {k: int(v) if k.endswith("_unix_nano") else v for k, v in event[kind].items()}
        yield kind, int(event["time_unix_nano"]), event, body


class Fleet:
    """Everything that was told."""

    def __init__(self, path):
        told = {}
        self.samples = collections.defaultdict(list)
        self.runs, self.instances = [], {}
        for kind, at, event, body in read(path):
            if kind == "request":
                key = (event["instance"], event["role"], body["request_id"], body.get("attempt", 0), body.get("choice", 0))
                row = told.setdefault(key, {"instance": event["instance"], "role": event["role"]})
                for name, value in body.items():
                    row[name] = value
                row[body["phase"]] = at
            elif kind == "engine":
                self.samples[event["instance"]].append(dict(body, at=at))
            elif kind == "step_run":
                self.runs.append(dict(body, at=at, instance=event["instance"]))
            elif kind == "instance_event":
                row = self.instances.setdefault(event["instance"], {"instance": event["instance"]})
                row.update(body)
                row.setdefault(body["state"], at)
        self.requests = [Request(row) for row in told.values() if "finished" in row]
        self.choose_legs()
        self.end = max(at for _, at, _, _ in read(path))

    def choose_legs(self):
        roles = collections.defaultdict(set)
        for r in self.requests:
            roles[r.model].add(r.role)
        for r in self.requests:
            for what, order in PREFERRED.items():
                setattr(r, what, r.role == next(role for role in order if role in roles[r.model]))
            r.prompt = r.prompt and r.choice == 0

    def window_range(self):
        """The windows in which anything of a request or of an engine's sample is booked."""
        samples = [s for all_samples in self.samples.values() for s in all_samples]
        first = min(min(r.received, r.finished) for r in self.requests)
        last = max(r.finished + 1 for r in self.requests)
        for s in samples:
            first, last = min(first, s["at"]), max(last, s["at"] + s["dt_nano"])
        return first // WINDOW * WINDOW, -(-last // WINDOW) * WINDOW

    def fact_range(self):
        return min(r.received for r in self.requests), max(r.finished for r in self.requests) + 1000


class Request:
    """One leg of a request: its marks and durations in ns, its tokens; None is unknown."""

    def __init__(self, row):
        for name in ("instance", "role", "request_id", "model", "model_version", "request_class", "tenant", "outcome", "finish_reason",
                     "http_status", "received", "queued", "scheduled", "first_token", "finished", "output_tokens", "prompt_tokens",
                     "reasoning_tokens", "running_requests", "waiting_requests", "trace_id", "recomputed_tokens"):
            setattr(self, name, row.get(name))
        self.choice = row.get("choice", 0)
        self.preempted = row.get("preemptions")
        self.cached = row.get("cached_local_tokens")
        self.gone = row.get("client_gone_unix_nano", row.get("client_gone"))
        self.last_token = row.get("last_token_unix_nano")
        if self.last_token is None and self.outcome == "ok" and self.first_token is not None:
            self.last_token = self.finished
        self.ttft = between(self.received, self.first_token)
        self.e2e = between(self.received, self.finished)
        self.queue = between(self.queued, self.scheduled)
        self.rest = between(self.received, self.queued)
        self.prefill = between(self.scheduled, self.first_token)
        self.decode = between(self.first_token, self.last_token)
        self.tpot = None
        if self.decode is not None and (self.output_tokens or 0) >= 2:
            self.tpot = self.decode / (self.output_tokens - 1)

    def group(self, by):
        return {"all": "all", "model": self.model, "model_version": f"{self.model}@{self.model_version}", "instance": self.instance,
                "tenant": self.tenant, "request_class": self.request_class, "model_class": f"{self.model} / {self.request_class}"}[by]

    def read_in(self, tokens, lo, hi):
        """How many of its prompt tokens were read in [lo, hi)."""
        end = self.first_token if self.first_token is not None else self.finished
        start = next(t for t in (self.scheduled, self.queued, self.received, end) if t is not None)
        return spread(tokens, min(start, end), end, lo, hi)

    def made_in(self, tokens, lo, hi):
        """How many of its output tokens were made in [lo, hi)."""
        end = self.last_token if self.last_token is not None else self.finished
        start = self.first_token if self.first_token is not None else end
        return spread(tokens, min(start, end), end, lo, hi)


def between(a, b):
    return b - a if a is not None and b is not None and b >= a else None


def spread(x, a, b, lo, hi):
    def before(t):
        return 0 if t <= a else x if t >= b else x * (t - a) // (b - a)
    return None if x is None else before(hi) - before(lo)


def overlap(a, b, lo, hi):
    return max(0, min(b, hi) - max(a, lo)) if a is not None and b is not None else 0


def total(values):
    values = [v for v in values if v is not None]
    return sum(values) if values else None


def ratio(a, b):
    return a / b if a is not None and b else None


def exact(values, q):
    """The quantile between two values, as facts have it."""
    values = sorted(values)
    if not values:
        return None
    place = q * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def rank(values, q, unit=1):
    """The nearest rank, as sketches have it, but for their 1 %."""
    values = sorted(values)
    if not values:
        return None
    return {"about": values[max(1, math.ceil(round(q * len(values), 9))) - 1] / unit}


def mean(values):
    return {"about": sum(values) / len(values)} if values else None


def grouped(items, key):
    groups = collections.defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def seconds(ns):
    return None if ns is None else ns / S


def known(values):
    return [v for v in values if v is not None]


# One function a report. rows come in any order; what names them is in QUESTIONS.

def throughput(fleet, lo, hi, by="model", basis="windows"):
    rows = []
    for key, rs in grouped(fleet.requests, lambda r: r.group(by)).items():
        def in_range(lo, hi):
            prompts = [r for r in rs if r.prompt]
            return (sum(1 for r in rs if r.counts and lo <= r.finished < hi),
                    total(r.read_in(r.prompt_tokens, lo, hi) for r in prompts),
                    total(r.made_in(r.output_tokens, lo, hi) for r in rs if r.output),
                    total(r.read_in(r.prompt_tokens, lo, hi) - r.read_in(r.cached, lo, hi) for r in prompts if r.cached is not None))
        requests, read_tokens, made_tokens, computed = in_range(lo, hi)
        length = (hi - lo) / S
        row = {"group": key, "requests": requests, "request_rate": requests / length, "input_tokens": read_tokens,
               "output_tokens": made_tokens, "uncached_tokens": computed, "input_rate": ratio(read_tokens, length),
               "uncached_rate": ratio(computed, length), "output_rate": ratio(made_tokens, length),
               "total_rate": ratio((read_tokens or 0) + (made_tokens or 0), length),
               "unknown_usage": sum(1 for r in rs if r.output and r.outcome == "ok" and r.output_tokens is None and lo <= r.finished < hi),
               "peak_request_rate": None, "peak_input_rate": None, "peak_output_rate": None, "peak_total_rate": None}
        if basis == "windows":
            minutes = [in_range(max(m, lo), min(m + MINUTE, hi)) for m in range(lo // MINUTE * MINUTE, hi, MINUTE)]
            row["peak_request_rate"] = max(m[0] for m in minutes) / 60
            row["peak_input_rate"] = max(m[1] or 0 for m in minutes) / 60
            row["peak_output_rate"] = max(m[2] or 0 for m in minutes) / 60
            row["peak_total_rate"] = max((m[1] or 0) + (m[2] or 0) for m in minutes) / 60
        rows.append(row)
    return rows


def throughput_over_time(fleet, lo, hi, step, by="model"):
    rows = []
    for key, rs in grouped(fleet.requests, lambda r: r.group(by)).items():
        for begins in range(lo // step * step, hi, step):
            a, b = max(begins, lo), min(begins + step, hi)
            ended = sum(1 for r in rs if r.counts and a <= r.finished < b)
            read_tokens = total(r.read_in(r.prompt_tokens, a, b) for r in rs if r.prompt) or 0
            made_tokens = total(r.made_in(r.output_tokens, a, b) for r in rs if r.output) or 0
            running = sum(overlap(r.scheduled, r.finished, a, b) for r in rs if r.output)
            waiting = sum(overlap(r.queued, r.scheduled, a, b) for r in rs if r.prompt)
            if not (ended or read_tokens or made_tokens or running or waiting or any(a <= r.received < b for r in rs)):
                continue
            length = (b - a) / S
            rows.append({"time": begins // 1000, "group": key, "requests": ended, "request_rate": ended / length,
                         "input_rate": read_tokens / length, "output_rate": made_tokens / length,
                         "total_rate": (read_tokens + made_tokens) / length, "running_mean": running / S / length,
                         "waiting_mean": waiting / S / length})
    return rows


LENGTHS = {
    "prompt": ("prompt", lambda r: r.prompt_tokens), "cached": ("prompt", lambda r: r.cached),
    "output": ("output", lambda r: r.output_tokens), "reasoning": ("output", lambda r: r.reasoning_tokens),
    "total": ("output", lambda r: None if r.prompt_tokens is None or r.output_tokens is None else r.prompt_tokens + r.output_tokens),
}


def lengths(fleet, lo, hi, by="model_class", basis="facts"):
    rows = []
    ended = [r for r in fleet.requests if lo <= r.finished < hi]
    for key, rs in grouped(ended, lambda r: r.group(by)).items():
        for measure, (leg, value) in LENGTHS.items():
            if basis == "windows" and measure not in ("prompt", "output"):
                continue
            mine = [r for r in rs if getattr(r, leg)]
            values = known(map(value, mine))
            quantile = exact if basis == "facts" else rank
            row = {"group": key, "measure": measure, "n": len(values), "mean": ratio(total(values), len(values)),
                   "finished": len(mine) if basis == "facts" else None, "max": max(values, default=None)}
            for name, q in (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99)):
                row[name] = quantile(values, q)
            rows.append(row)
    return rows


OUTCOMES = {"ok": "ok", "errors": "error", "timeouts": "timeout", "rejected": "rejected", "cancelled": "cancelled", "lost": "lost",
            "unknown": "unknown"}


def outcomes(ended):
    row = {name: sum(1 for r in ended if r.outcome == outcome) for name, outcome in OUTCOMES.items()}
    row["http_4xx"] = sum(1 for r in ended if (r.http_status or 0) // 100 == 4)
    row["http_5xx"] = sum(1 for r in ended if (r.http_status or 0) // 100 == 5)
    row["success_ratio"] = ratio(row["ok"], len(ended))
    return row


def red(fleet, lo, hi, by="model"):
    rows = []
    for key, rs in grouped([r for r in fleet.requests if r.counts], lambda r: r.group(by)).items():
        ended = [r for r in rs if lo <= r.finished < hi]
        took = known(r.e2e for r in ended if r.outcome == "ok")
        row = {"group": key, "arrivals": sum(1 for r in rs if lo <= r.received < hi), "requests": len(ended),
               "request_rate": len(ended) / ((hi - lo) / S), "n": len(took), "max": seconds(max(took, default=None))}
        row.update(outcomes(ended))
        row["error_ratio"] = ratio(row["errors"] + row["timeouts"] + row["lost"], len(ended))
        for name, q in (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)):
            row[name] = rank(took, q, S)
        rows.append(row)
    return rows


def availability(fleet, lo, hi, step, by="model"):
    cells = collections.defaultdict(lambda: [[], 0, 0])
    for r in fleet.requests:
        if r.counts and lo <= r.finished < hi:
            cells[r.group(by), r.finished // step * step][0].append(r)
    for i in fleet.instances.values():
        key = {"model": i.get("model"), "instance": i["instance"]}[by]
        gone = i.get("stopped", fleet.end)
        for begins in range(lo // step * step, hi, step):
            a, b = max(begins, lo), min(begins + step, hi)
            present = overlap(i["starting"], gone, a, b)
            if present:
                cells[key, begins][1] += overlap(i["ready"], i.get("draining", gone), a, b) / (b - a)
                cells[key, begins][2] += present / (b - a)
    return [dict(outcomes(ended), time=begins // 1000, group=key, requests=len(ended), ready_mean=ready if present else None,
                 present_mean=present or None, ready_ratio=ratio(ready, present))
            for (key, begins), (ended, ready, present) in cells.items()]


def latency_over_time(fleet, lo, hi, step, by="model"):
    cells = collections.defaultdict(list)
    for r in fleet.requests:
        if r.counts and r.ttft is not None:
            cells["TTFT", r.group(by), r.first_token].append(r.ttft)
        if r.output and r.outcome == "ok" and r.tpot is not None:
            cells["TPOT", r.group(by), r.finished].append(math.floor(r.tpot))
        if r.counts and r.outcome == "ok" and r.e2e is not None:
            cells["e2e", r.group(by), r.finished].append(r.e2e)
    steps = collections.defaultdict(list)
    for (measure, key, at), values in cells.items():
        if lo <= at < hi:
            steps[measure, key, at // step * step] += values
    return [{"time": begins // 1000, "group": key, "measure": measure, "n": len(values), "p50": rank(values, 0.5, S),
             "p90": rank(values, 0.9, S), "p99": rank(values, 0.99, S)} for (measure, key, begins), values in steps.items()]


def ttft_heatmap(fleet, lo, hi, step, by="model"):
    cells = collections.Counter()
    for r in fleet.requests:
        if r.counts and r.ttft is not None and lo <= r.first_token < hi:
            quarter = 0
            if r.ttft > 0:
                octave = 2 ** (r.ttft.bit_length() - 1)
                quarter = octave + (r.ttft - octave) * 4 // octave * (octave // 4)
            cells[r.group(by), r.first_token // step * step, quarter] += 1
    n = collections.Counter()
    for (key, begins, _), count in cells.items():
        n[key, begins] += count
    return [{"time": begins // 1000, "group": key, "bucket": quarter / S, "requests": count, "n": n[key, begins],
             "share": count / n[key, begins]} for (key, begins, quarter), count in cells.items()]


def levels(samples, name, lo, hi):
    """Value · ns of a gauge, and the ns for which it was known: a sample stands for dt_nano, or until the next one."""
    value, time = 0, 0
    for s, following in zip(samples, samples[1:] + [None]):
        if name in s:
            until = s["at"] + s["dt_nano"]
            if following is not None and name in following:
                until = min(until, following["at"])
            value += s[name] * overlap(s["at"], until, lo, hi)
            time += overlap(s["at"], until, lo, hi)
    return value, time


def gauge(all_samples, name, lo, hi, unit=1):
    parts = [levels(samples, name, lo, hi) for samples in all_samples]
    return ratio(sum(p[0] for p in parts), sum(p[1] for p in parts) * unit)


def greatest(all_samples, name, lo, hi, unit=1):
    found = max((s[name] for samples in all_samples for s in samples if name in s and lo <= s["at"] < hi), default=None)
    return None if found is None else found / unit if unit != 1 else found


def sampled(fleet, by, lo, hi):
    groups = collections.defaultdict(list)
    for instance, samples in fleet.samples.items():
        if any(lo <= s["at"] < hi for s in samples):
            groups[{"model": samples[0]["model"], "instance": instance}[by]].append(samples)
    return groups


def queue_batch(fleet, lo, hi, by="model"):
    engines = sampled(fleet, by, lo, hi)
    waits = grouped([r for r in fleet.requests if r.prompt and r.queue is not None and lo <= r.scheduled < hi], lambda r: r.group(by))
    rows = []
    for key in set(engines) | set(waits):
        mine, took = engines.get(key, []), [r.queue for r in waits.get(key, [])]
        row = {"group": key, "engines": len(mine) or None, "n": len(took)}
        for column, name in (("waiting_mean", "waiting_requests"), ("running_mean", "running_requests"), ("batch_sequences",) * 2,
                             ("max_sequences",) * 2, ("batch_tokens",) * 2, ("max_batched_tokens",) * 2):
            row[column] = gauge(mine, name, lo, hi)
        for column, name in (("waiting_max", "waiting_requests"), ("running_max", "running_requests"), ("batch_max", "batch_sequences")):
            row[column] = greatest(mine, name, lo, hi)
        row["batch_ratio"] = ratio(row["batch_sequences"], row["max_sequences"])
        row["token_ratio"] = ratio(row["batch_tokens"], row["max_batched_tokens"])
        row["capacity_mean"] = row["deferred_mean"] = None
        row.update(moments(mine, lo, hi))
        for name, q in (("queue_p50", 0.5), ("queue_p95", 0.95), ("queue_p99", 0.99)):
            row[name] = rank(took, q, S)
        rows.append(row)
    return rows


def moments(engines, lo, hi):
    """Shares of the windows of 10 s, an engine each: what a queue that never emptied was waiting for."""
    shares = dict.fromkeys(("queued_ratio", "with_room", "at_sequences", "at_kv", "at_tokens"), 0)
    windows = 0
    for samples in engines:
        for inside in grouped([s for s in samples if lo <= s["at"] < hi], lambda s: s["at"] // WINDOW).values():
            windows += 1
            if min(s["waiting_requests"] for s in inside) == 0:
                continue
            shares["queued_ratio"] += 1
            if max(s["batch_sequences"] for s in inside) >= min(s["max_sequences"] for s in inside):
                shares["at_sequences"] += 1
            elif max(s["kv_cache_usage_ratio"] for s in inside) >= 0.95:
                shares["at_kv"] += 1
            elif max(s["batch_tokens"] for s in inside) >= min(s["max_batched_tokens"] for s in inside):
                shares["at_tokens"] += 1
            else:
                shares["with_room"] += 1
    return {name: ratio(n, windows) for name, n in shares.items()}


def prefill_decode(fleet, lo, hi, by="model"):
    rows = []
    chunks = collections.Counter()
    for run in fleet.runs:
        if lo <= run["at"] < hi and run.get("rank_index", 0) == 0:
            i = fleet.instances[run["instance"]]
            chunks[{"model": i["model"], "instance": i["instance"]}[by]] += run["prefill_sequences"]
    for key, rs in grouped(fleet.requests, lambda r: r.group(by)).items():
        running = sum(overlap(r.scheduled, r.finished, lo, hi) for r in rs if r.prompt or r.output)
        computed = None
        if all(r.cached is not None for r in rs if r.prompt):
            computed = sum(r.read_in(r.prompt_tokens, lo, hi) - r.read_in(r.cached, lo, hi) for r in rs if r.prompt)
        for phase, tokens, spent, took in (
            ("prefill", computed, sum(overlap(r.scheduled, r.first_token, lo, hi) for r in rs if r.prompt),
             [r.prefill for r in rs if r.prompt and r.prefill is not None and lo <= r.first_token < hi]),
            ("decode", total(r.made_in(r.output_tokens, lo, hi) for r in rs if r.output),
             sum(overlap(r.first_token, r.last_token, lo, hi) for r in rs if r.output),
             [r.decode for r in rs if r.output and r.decode is not None and r.outcome == "ok" and lo <= r.finished < hi]),
        ):
            prefill = phase == "prefill"
            rows.append({
                "group": key, "phase": phase, "n": len(took), "p50": rank(took, 0.5, S), "p95": rank(took, 0.95, S),
                "p99": rank(took, 0.99, S), "tokens": tokens, "token_rate": ratio(tokens, (hi - lo) / S),
                "sequence_rate": ratio(tokens * S, spent), "running_ratio": ratio(spent, running),
                "chunks": chunks.get(key) if prefill else None,
                "recomputed_tokens": total(r.recomputed_tokens for r in rs if lo <= r.finished < hi) if prefill else None,
                "preemptions": None if prefill else total(r.preempted for r in rs if r.output and lo <= r.finished < hi) or 0})
    return rows


def cancellations(fleet, lo, hi, by="model"):
    rows = []
    ended = [r for r in fleet.requests if lo <= r.finished < hi]
    for key, rs in grouped(ended, lambda r: r.group(by)).items():
        counting, engines = [r for r in rs if r.counts], [r for r in rs if r.output]
        gone = [r for r in engines if r.gone is not None]
        estimate = 0
        for r in gone:
            end = r.last_token if r.last_token is not None else r.finished
            if r.gone < end:
                start = r.first_token if r.first_token is not None else end
                estimate += r.output_tokens - spread(r.output_tokens, start, end, 0, r.gone)
        after = sum(overlap(r.scheduled, r.finished, r.gone, r.finished) for r in gone)
        cancelled = sum(1 for r in counting if r.outcome == "cancelled")
        rows.append({
            "group": key, "requests": len(counting), "cancelled": cancelled, "cancelled_ratio": ratio(cancelled, len(counting)),
            "clients_gone": sum(1 for r in counting if r.gone is not None),
            "aborted": sum(1 for r in engines if r.finish_reason == "abort"),
            "unknown_gone": sum(1 for r in engines if r.outcome == "cancelled" and r.gone is None),
            "output_tokens": total(r.output_tokens for r in engines), "tokens_after_gone": estimate, "estimated_tokens": estimate,
            "running_after_gone": after / S, "waste_ratio": ratio(after, sum(between(r.scheduled, r.finished) or 0 for r in engines))})
    return rows


def increase(samples, name):
    """What a counter that never began anew rose by, from its start on."""
    return max((s[name] for s in samples if name in s), default=None)


def reconciliation(fleet, lo, hi, by="model"):
    rows = []
    ended = [r for r in fleet.requests if lo <= r.finished < hi]
    engines = sampled(fleet, by, 0, fleet.end + S)
    for key, rs in grouped(ended, lambda r: r.group(by)).items():
        for what, name, leg, value in (
            ("prompt tokens", "prompt_tokens_total", "prompt", lambda r: r.prompt_tokens),
            ("output tokens", "output_tokens_total", "output", lambda r: r.output_tokens),
            ("requests ended", "finished_total", "output", lambda r: 1),
        ):
            told = {kind: sum(value(r) or 0 for r in rs if getattr(r, leg) and match(r.outcome)) for kind, match in (
                ("ok", lambda o: o == "ok"), ("cancelled", lambda o: o == "cancelled"), ("other", lambda o: o not in ("ok", "cancelled")))}
            counter = total(increase(samples, name) for samples in engines.get(key, []))
            difference = None if counter is None else counter - sum(told.values())
            rows.append(dict(told, group=key, count=what, counter=counter, difference=difference, difference_ratio=ratio(difference, counter)))
    return rows


def llm(fleet, lo, hi, by="model"):
    engines = sampled(fleet, by, lo, hi)
    rows = []
    for key, rs in grouped(fleet.requests, lambda r: r.group(by)).items():
        ok = [r for r in rs if r.output and r.outcome == "ok" and lo <= r.finished < hi]
        first = [r for r in rs if r.counts and r.ttft is not None and lo <= r.first_token < hi]
        tpots = known(r.tpot for r in ok)
        row = {"group": key, "requests": sum(1 for r in rs if r.counts and lo <= r.finished < hi), "ttft_n": len(first),
               "tpot_n": len(tpots), "itl_n": 0, "itl_p50": None, "itl_p99": None,
               "input_rate": ratio(total(r.read_in(r.prompt_tokens, lo, hi) for r in rs if r.prompt), (hi - lo) / S),
               "output_rate": ratio(total(r.made_in(r.output_tokens, lo, hi) for r in rs if r.output), (hi - lo) / S),
               "prefill_mean": mean([r.prefill / S for r in rs if r.prompt and r.prefill is not None and lo <= r.first_token < hi]),
               "decode_mean": mean([r.decode / S for r in ok if r.decode is not None]),
               "running_mean": sum(overlap(r.scheduled, r.finished, lo, hi) for r in rs if r.output) / (hi - lo)}
        for name, q in (("p50", 0.5), ("p99", 0.99)):
            row["ttft_" + name] = rank([r.ttft for r in first], q, S)
            row["tpot_" + name] = rank(tpots, q, S)
        mine = engines.get(key, [])
        row["waiting_mean"] = gauge(mine, "waiting_requests", lo, hi)
        row["batch_mean"] = gauge(mine, "batch_sequences", lo, hi)
        row["batch_max"] = greatest(mine, "batch_sequences", lo, hi)
        row["kv_mean"] = gauge(mine, "kv_cache_usage_ratio", lo, hi)
        row["kv_max"] = greatest(mine, "kv_cache_usage_ratio", lo, hi)
        rows.append(row)
    return rows


def slow_requests(fleet, lo, hi, slow="e2e", top=20, by="model"):
    slowest = [r for r in fleet.requests if r.counts and lo <= r.finished < hi and getattr(r, slow) is not None]
    slowest.sort(key=lambda r: -getattr(r, slow))
    rows = []
    for r in slowest[:top]:
        row = {name: seconds(getattr(r, name)) for name in ("e2e", "ttft", "rest", "queue", "prefill", "decode", "tpot")}
        row.update({"request_id": r.request_id, "group": r.group(by), "instance": r.instance, "received_at": r.received // 1000,
                    "outcome": r.outcome, "http_status": r.http_status, "prompt_tokens": r.prompt_tokens, "cached_tokens": r.cached,
                    "output_tokens": r.output_tokens, "running": r.running_requests, "waiting": r.waiting_requests,
                    "preemptions": r.preempted, "trace_id": r.trace_id, "gateway": None})
        rows.append(row)
    return rows


def model_versions(fleet, lo, hi):
    rows = []
    for (model, version), rs in grouped(fleet.requests, lambda r: (r.model, r.model_version)).items():
        ended = [r for r in rs if r.counts and lo <= r.finished < hi]
        ok = [r for r in rs if r.outcome == "ok" and lo <= r.finished < hi]
        first_at = min(r.received for r in rs) // WINDOW * WINDOW
        last_at = max(r.finished for r in rs) // WINDOW * WINDOW + WINDOW
        length = (last_at - first_at) / S
        row = {"model": model, "version": version, "first_at": first_at // 1000, "last_at": last_at // 1000, "requests": len(ended),
               "request_rate": len(ended) / length, "success_ratio": ratio(sum(1 for r in ended if r.outcome == "ok"), len(ended))}
        measures = {"ttft": [r.ttft for r in rs if r.counts and r.ttft is not None and lo <= r.first_token < hi],
                    "tpot": known(r.tpot for r in ok if r.output), "e2e": known(r.e2e for r in ok if r.counts)}
        for name, values in measures.items():
            row[name + "_n"] = len(values)
            for p, q in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
                row[f"{name}_{p}"] = rank(values, q, S)
        for name, values in (("prompt", known(r.prompt_tokens for r in rs if r.prompt)), ("output", known(r.output_tokens for r in rs if r.output))):
            row[name + "_n"], row[name + "_mean"], row[name + "_p95"] = len(values), mean(values), rank(values, 0.95)
        cached = [r for r in rs if r.prompt and r.cached is not None]
        row["cached_ratio"] = ratio(sum(r.cached for r in cached), sum(r.prompt_tokens for r in cached))
        made = total(r.made_in(r.output_tokens, lo, hi) for r in rs if r.output)
        row["output_rate"] = ratio(made, length)
        held = [(overlap(i["starting"], i.get("stopped", fleet.end), lo, hi) / S * i["gpu_count"], fleet.prices.get(i["gpu_type"]))
                for i in fleet.instances.values() if (i["model"], i["model_version"]) == (model, version)]
        row["gpu_hours"] = sum(h for h, _ in held) / 3600
        row["output_tokens_per_gpu_second"] = ratio(made, sum(h for h, _ in held))
        row["usd_per_million_output_tokens"] = sum(h / 3600 * price for h, price in held) * 1e6 / made
        rows.append(row)
    for row in rows:
        oldest = min((r for r in rows if r["model"] == row["model"]), key=lambda r: r["first_at"])
        for name in ("ttft_p50", "ttft_p95", "tpot_p50", "tpot_p95", "e2e_p50", "e2e_p95"):
            # Two figures within 1 % each: their quotient is within 2 %.
            row["change_" + name] = {"near": row[name]["about"] / oldest[name]["about"] - 1}
        row["change_cost"] = row["usd_per_million_output_tokens"] / oldest["usd_per_million_output_tokens"] - 1
    return rows


def questions(fleet):
    """report, parameters, what names a row, rows."""
    day = fleet.requests[0].received // (86400 * S) * 86400 * S
    windows, facts = fleet.window_range(), fleet.fact_range()
    cut = day + 20 * MINUTE, day + 50 * MINUTE
    between_ = {"from": cut[0] // 1000, "to": cut[1] // 1000}
    group, series = ["group"], ["group", "time"]
    yield "throughput", {}, group, throughput(fleet, *windows)
    yield "throughput", between_, group, throughput(fleet, *cut)
    yield "throughput", {"by": "request_class"}, group, throughput(fleet, *windows, by="request_class")
    yield "throughput", dict(between_, basis="facts", by="tenant"), group, throughput(fleet, *cut, by="tenant", basis="facts")
    yield "throughput_over_time", {}, series, throughput_over_time(fleet, *windows, step=MINUTE)
    yield "throughput_over_time", dict(between_, by="all", step=900), series, throughput_over_time(fleet, *cut, step=900 * S, by="all")
    yield "lengths", {}, ["group", "measure"], lengths(fleet, *facts)
    yield "lengths", dict(between_, by="tenant"), ["group", "measure"], lengths(fleet, *cut, by="tenant")
    yield "lengths", {"basis": "windows"}, ["group", "measure"], lengths(fleet, *windows, basis="windows")
    yield "red", {}, group, red(fleet, *windows)
    yield "red", dict(between_, by="instance"), group, red(fleet, *cut, by="instance")
    yield "availability", {}, series, availability(fleet, *windows, step=MINUTE)
    yield "availability", dict(between_, by="instance", step=600), series, availability(fleet, *cut, step=600 * S, by="instance")
    yield "latency_over_time", {}, series + ["measure"], latency_over_time(fleet, *windows, step=MINUTE)
    yield "latency_over_time", dict(between_, by="instance", step=300), series + ["measure"], latency_over_time(fleet, *cut, step=300 * S, by="instance")
    yield "ttft_heatmap", {}, series + ["bucket"], ttft_heatmap(fleet, *windows, step=MINUTE)
    yield "queue_batch", {}, group, queue_batch(fleet, *windows)
    yield "queue_batch", dict(between_, by="instance"), group, queue_batch(fleet, *cut, by="instance")
    yield "prefill_decode", {}, ["group", "phase"], prefill_decode(fleet, *windows)
    yield "prefill_decode", dict(between_, by="instance"), ["group", "phase"], prefill_decode(fleet, *cut, by="instance")
    yield "cancellations", {}, group, cancellations(fleet, *facts)
    yield "cancellations", dict(between_, by="tenant"), group, cancellations(fleet, *cut, by="tenant")
    yield "reconciliation", {}, ["group", "count"], reconciliation(fleet, *windows)
    yield "llm", {}, group, llm(fleet, *windows)
    yield "llm", dict(between_, by="instance"), group, llm(fleet, *cut, by="instance")
    yield "slow_requests", {}, ["request_id"], slow_requests(fleet, *facts)
    yield "slow_requests", dict(between_, slow="ttft", top=5, by="request_class"), ["request_id"], slow_requests(fleet, *cut, "ttft", 5, "request_class")
    yield "model_versions", {}, ["model", "version"], model_versions(fleet, *windows)


def main():
    fleet = Fleet(sys.argv[1])
    fleet.prices = json.loads(sys.argv[2])
    json.dump([dict(zip(("report", "params", "names", "rows"), q)) for q in questions(fleet)], sys.stdout)


if __name__ == "__main__":
    main()
