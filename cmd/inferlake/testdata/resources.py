"""Recomputes the reports on resources from rows of samples, the naive way: every gauge is a list of pieces of time with a
value, every counter a list of increases over time. Usage: resources.py DIR SINCE UNTIL STEP (seconds since 1970). DIR holds
the tables as CSV, times as ns since 1970. Prints a line a cell: report, row, column, value; "-" is unknown.

It shares nothing with the product but these rules: a gauge stands for its dt, at most until the next sample that has it;
without a dt until the next, for at most three times the interval before. A counter's increase is spread evenly over the time
since the value before, in whole numbers by 10 s; a fall or a later start begins from zero; the first value counts only if
its counter began after the first event of its partition."""
import csv, sys, collections

S = 10**9
WINDOW = 10 * S
directory, since, until, step = sys.argv[1], *(int(a) * S for a in sys.argv[2:5])
MINUTE = 60 * S if since % (60 * S) == 0 and until % (60 * S) == 0 else WINDOW


def read(table):
    with open(f"{directory}/{table}.csv", newline="") as f:
        return [{k: (None if v == "" else v) for k, v in row.items()} for row in csv.DictReader(f)]


tables = {t: read(t) for t in ("engine_samples", "gpu_samples", "node_samples", "kube_samples", "gpu_faults", "instance_events", "requests", "step_runs")}
first_event = {}
for rows in tables.values():
    for r in rows:
        if r.get("t"):
            place = r["topic"], r["partition"]
            first_event[place] = min(int(r["t"]), first_event.get(place, 1 << 62))


class Thing:
    """What is known of one object: pieces of its gauges, increases of its counters, extremes by sample."""

    def __init__(self):
        self.pieces = collections.defaultdict(list)  # gauge: (from, to, value)
        self.counts = collections.defaultdict(dict)  # counter: window -> increase
        self.seen = collections.defaultdict(list)  # gauge: (at, value)
        self.rows = []

    def cut(self, gauge, lo=None, hi=None):
        lo, hi = max(lo or since, since), min(hi or until, until)
        return [(max(a, lo), min(b, hi), v) for a, b, v in self.pieces[gauge] if a < hi and b > lo]

    def sums(self, gauge, lo=None, hi=None):
        parts = self.cut(gauge, lo, hi)
        return sum((b - a) * v for a, b, v in parts), sum(b - a for a, b, _ in parts)

    def mean(self, gauge, lo=None, hi=None):
        value, ns = self.sums(gauge, lo, hi)
        return value / ns if ns else None

    def milli(self, gauge, lo=None, hi=None):
        value, ns = self.sums(gauge, lo, hi)
        return (value * 1000 + ns // 2) // ns if ns else None

    def extreme(self, gauge, of, lo=None, hi=None):
        lo, hi = max(lo or since, since), min(hi or until, until)
        values = [v for at, v in self.seen[gauge] if lo <= at < hi]
        return of(values) if values else None

    def increase(self, counter):
        inside = [v for w, v in self.counts[counter].items() if since <= w < until]
        return sum(inside) if inside else None


def spread(counts, a, b, v):
    window = a // WINDOW * WINDOW
    if b <= window + WINDOW:
        counts[window] = counts.get(window, 0) + v
        return
    booked = 0
    while window < b:
        upto = v * (min(b, window + WINDOW) - a) // (b - a)
        counts[window] = counts.get(window, 0) + upto - booked
        booked, window = upto, window + WINDOW


def follow(rows, key, gauges, counters):
    things, series = collections.defaultdict(Thing), collections.defaultdict(list)
    for r in rows:
        series[(r["instance"], r["boot"], r["dp_index"], key(r))].append(r)
    for (*_, name), samples in series.items():
        thing = things[name]
        samples.sort(key=lambda r: int(r["t"]))
        thing.rows += samples
        times = [int(r["t"]) for r in samples]
        for g in gauges:
            has = [i for i, r in enumerate(samples) if r[g] is not None]
            for n, i in enumerate(has):
                t, v = times[i], int(samples[i][g])
                thing.seen[g].append((t, v))
                nxt = times[has[n + 1]] if n + 1 < len(has) else None
                dt = int(samples[i]["dt_ns"] or 0)
                if dt:
                    end = min(t + dt, nxt) if nxt else t + dt
                elif nxt:
                    j = has[n + 1]
                    interval = times[j - 1] - times[j - 2] if j >= 2 else nxt - t
                    end = min(nxt, t + 3 * interval)
                else:
                    continue
                if end > t:
                    thing.pieces[g].append((t, end, v))
        for c in counters:
            last, began = None, 0
            for i, r in enumerate(samples):
                t, start = times[i], int(r["started_at"] or 0)
                if r[c] is not None:
                    v, counts = int(r[c]), thing.counts[c]
                    counts.setdefault(t // WINDOW * WINDOW, 0)
                    if last is None:
                        ok = start and first_event[r["topic"], r["partition"]] <= start <= t
                        a, more = (start, v) if ok else (t, 0)
                    elif began < start <= t:
                        a, more = max(last[0], start), v
                    else:
                        a, more = last[0], v - last[1]
                        more = v if more < 0 else more
                    if more > 0:
                        spread(counts, a, t, more)
                    last = t, v
                began = max(began, start)
    return things


def columns(table, without):
    names = [c for c in tables[table][0] if tables[table] and c not in without]
    return [c for c in names if not c.endswith("_total")], [c for c in names if c.endswith("_total")]


PLAIN = {"topic", "partition", "offset", "idx", "lineage", "commit", "producer", "boot", "source", "instance", "dp_index", "role", "at", "t", "dt_ns", "started_at",
         "model", "model_version", "gpu", "parent_gpu", "mig_profile", "gpu_type", "node", "namespace", "deployment", "pod", "throttle_reasons", "unavailable"}
engines = follow(tables["engine_samples"], lambda r: r["instance"], *columns("engine_samples", PLAIN))
gpus = follow(tables["gpu_samples"], lambda r: r["gpu"], *columns("gpu_samples", PLAIN))
nodes = follow(tables["node_samples"], lambda r: r["node"], *columns("node_samples", PLAIN))
kube = follow(tables["kube_samples"], lambda r: (r["namespace"], r["deployment"], r["pod"]), *columns("kube_samples", PLAIN))

lives = {}
for r in tables["instance_events"]:
    life = lives.setdefault(r["instance"], {"from": 1 << 62, "to": None})
    life.update({k: v for k, v in r.items() if v is not None and k not in ("t", "state")})
    t = int(r["t"])
    life["from"] = min(life["from"], t)
    if r["state"] == "stopped":
        life["to"] = t
for life in lives.values():
    life["ns"] = max(0, min(life["to"] or until, until) - max(life["from"], since))
    life["gpus"] = [g.strip() for g in (life.get("gpu_uuids") or "").strip("[]").split(",") if g.strip()]
holder = {g: name for name, life in lives.items() for g in life["gpus"] if life["ns"] > 0}


def told(thing):
    """Time for which the best known gauge was known, window by window."""
    total = 0
    by_window = collections.defaultdict(lambda: collections.Counter())
    for g in thing.pieces:
        for a, b, _ in thing.cut(g):
            w = a // WINDOW * WINDOW
            while w < b:
                by_window[w][g] += min(b, w + WINDOW) - max(a, w)
                w += WINDOW
    tier = 900 * S
    while since % tier or until % tier:
        tier = {900 * S: 60 * S, 60 * S: WINDOW}[tier]
    best = collections.defaultdict(collections.Counter)
    for w, known in by_window.items():
        best[w // tier].update(known)
    for known in best.values():
        total += max(known.values())
    return total


def ratio(a, b):
    return None if a is None or b is None or b <= 0 else a / b


def scaled(v, by):
    return None if v is None else v / by


def say(report, row, **cells):
    for column, v in cells.items():
        print(report, row, column, "-" if v is None else repr(v), sep="\t")


def bins(length):
    return range(since // length * length, until, length)


span = (until - since) / S
for name, e in engines.items():
    if not any(since <= int(r["t"]) < until for r in e.rows) and not e.cut("kv_cache_usage_ppm"):
        continue
    high = {90: 0, 98: 0}
    for b in bins(MINUTE):
        value, ns = e.sums("kv_cache_usage_ppm", b, b + MINUTE)
        for limit in high:
            high[limit] += ns if ns and value >= limit * 10000 * ns else 0
    value, ns = e.sums("kv_cache_usage_ppm")
    say("kv_cache", name, coverage=min(ratio(ns, lives[name]["ns"]), 1), usage=scaled(ratio(value, ns), 1e6),
        usage_max=scaled(e.extreme("kv_cache_usage_ppm", max), 1e6), at_90=ratio(high[90], ns), at_98=ratio(high[98], ns),
        used=scaled(e.milli("kv_used_blocks"), 1e3), free=scaled(e.milli("kv_free_blocks"), 1e3),
        evictable=scaled(e.milli("kv_evictable_blocks"), 1e3), total=scaled(e.milli("kv_total_blocks"), 1e3),
        evictions=e.increase("evictions_total"), alloc_failures=e.increase("allocation_failures_total"),
        preemptions=e.increase("preemptions_total"), retractions=e.increase("retractions_total"))
    for b in bins(step):
        if any(e.cut(g, b, b + step) for g in ("running_requests", "waiting_requests")):
            say("engine_over_time", f"{b // S} {name}",
                running=scaled(e.milli("running_requests", b, b + step), 1e3), running_max=e.extreme("running_requests", max, b, b + step),
                waiting=scaled(e.milli("waiting_requests", b, b + step), 1e3), waiting_max=e.extreme("waiting_requests", max, b, b + step),
                batch=scaled(e.milli("batch_sequences", b, b + step), 1e3), batch_tokens=scaled(e.milli("batch_tokens", b, b + step), 1e3),
                kv_usage=scaled(e.mean("kv_cache_usage_ppm", b, b + step), 1e6), kv_usage_max=scaled(e.extreme("kv_cache_usage_ppm", max, b, b + step), 1e6),
                coverage=min(ratio(e.sums("running_requests", b, b + step)[1], step), 1))

faults = collections.defaultdict(list)
for r in tables["gpu_faults"]:
    if since <= int(r["t"]) < until:
        faults[r["gpu"]].append(r)


def hbm(g, lo=None, hi=None):
    used, free = g.sums("framebuffer_used_mib", lo, hi)[0], g.sums("framebuffer_free_mib", lo, hi)
    return ratio(used, used + free[0]) if free[1] else None


clocks = collections.defaultdict(list)
for g in gpus.values():
    if g.mean("sm_clock_mhz") is not None:
        clocks[g.rows[0]["gpu_type"]].append(g.mean("sm_clock_mhz"))


def middle(values):
    values = sorted(values)
    n = len(values)
    return values[n // 2] if n % 2 else (values[n // 2 - 1] + values[n // 2]) / 2


for name, g in gpus.items():
    if not any(since <= int(r["t"]) < until for r in g.rows):
        continue
    peers = clocks[g.rows[0]["gpu_type"]]
    total = g.sums("framebuffer_used_mib")[0] + g.sums("framebuffer_free_mib")[0]
    say("gpu", name, coverage=min(ratio(told(g), until - since), 1), util=scaled(g.mean("utilization_ppm"), 1e6),
        util_max=scaled(g.extreme("utilization_ppm", max), 1e6), sm=scaled(g.mean("sm_active_ppm"), 1e6),
        tensor=scaled(g.mean("tensor_active_ppm"), 1e6), dram=scaled(g.mean("dram_active_ppm"), 1e6), hbm_used=hbm(g),
        hbm_max=ratio(g.extreme("framebuffer_used_mib", max) * g.sums("framebuffer_used_mib")[1], total),
        power_capped=ratio(g.increase("power_violation_ns_total"), until - since), ecc_sbe=g.increase("ecc_sbe_total"), ecc_dbe=g.increase("ecc_dbe_total"),
        faults=sum(int(f["count"] or 1) for f in faults[name]), sm_clock=g.mean("sm_clock_mhz"), sm_clock_min=g.extreme("sm_clock_mhz", min),
        clock_drop=max(0, 1 - g.mean("sm_clock_mhz") / middle(peers)) if len(peers) > 1 else None,
        power=scaled(g.mean("power_milliwatts"), 1e3), power_max=scaled(g.extreme("power_milliwatts", max), 1e3),
        energy=scaled(g.increase("energy_millijoules_total"), 1e3), temperature=g.mean("temperature_celsius"),
        temperature_max=g.extreme("temperature_celsius", max), pcie_rx=ratio(g.increase("pcie_rx_bytes_total"), span))
    for b in bins(step):
        if any(g.cut(x, b, b + step) for x in g.pieces):
            say("gpu_over_time", f"{b // S} {name}", util=scaled(g.mean("utilization_ppm", b, b + step), 1e6), sm=scaled(g.mean("sm_active_ppm", b, b + step), 1e6),
                tensor=scaled(g.mean("tensor_active_ppm", b, b + step), 1e6), dram=scaled(g.mean("dram_active_ppm", b, b + step), 1e6),
                hbm_used=hbm(g, b, b + step), sm_clock=g.mean("sm_clock_mhz", b, b + step), power=scaled(g.mean("power_milliwatts", b, b + step), 1e3),
                temperature=g.mean("temperature_celsius", b, b + step))

for name, n in nodes.items():
    say("nodes", name, coverage=min(ratio(told(n), until - since), 1), cpu=scaled(n.mean("cpu_usage_ppm"), 1e6),
        cpu_max=scaled(n.extreme("cpu_usage_ppm", max), 1e6), throttled=scaled(n.mean("cpu_throttled_ppm"), 1e6),
        throttled_max=scaled(n.extreme("cpu_throttled_ppm", max), 1e6), memory_total=scaled(n.mean("memory_total_mib"), 1024),
        load1=scaled(n.mean("load1_milli"), 1e3), memory=ratio(n.mean("memory_used_mib"), n.mean("memory_total_mib")),
        memory_max=ratio(n.extreme("memory_used_mib", max), n.extreme("memory_total_mib", max)),
        page_faults=ratio(n.increase("page_faults_total"), span), net_rx=ratio(n.increase("network_receive_bytes_total"), span),
        net_tx=ratio(n.increase("network_transmit_bytes_total"), span), net_errors=n.increase("network_errors_total"),
        net_drops=n.increase("network_drops_total"), disk_busy=ratio(n.increase("disk_busy_ns_total"), until - since))

deployments = collections.defaultdict(list)
for (namespace, deployment, pod), k in kube.items():
    deployments[f"{namespace}/{deployment}"].append((pod, k))


def plus(values):
    values = [v for v in values if v is not None]
    return sum(values) if values else None


for name, objects in deployments.items():
    things = [k for _, k in objects]
    limited, at_most = 0, 0
    for k in things:
        for b in bins(MINUTE):
            (want, ns), (most, most_ns) = k.sums("hpa_desired_replicas", b, b + MINUTE), k.sums("hpa_max_replicas", b, b + MINUTE)
            if ns and most_ns:
                limited += ns
                at_most += ns if want * most_ns >= most * ns else 0
    ready = [k.sums("ready_ppm") for k in things]
    say("kubernetes", name, pods=sum(1 for pod, _ in objects if pod), desired=scaled(plus(k.milli("desired_replicas") for k in things), 1e3),
        ready=scaled(plus(k.milli("ready_replicas") for k in things), 1e3), ready_min=plus(k.extreme("ready_replicas", min) for k in things),
        unavailable=scaled(plus(k.milli("unavailable_replicas") for k in things), 1e3), unavailable_max=plus(k.extreme("unavailable_replicas", max) for k in things),
        pods_ready=scaled(ratio(sum(v for v, _ in ready), sum(n for _, n in ready)), 1e6), restarts=plus(k.increase("restarts_total") for k in things),
        oom_killed=plus(k.increase("oom_killed_total") for k in things), pending=scaled(plus(k.milli("pending_pods") for k in things), 1e3),
        hpa_max=scaled(plus(k.milli("hpa_max_replicas") for k in things), 1e3),
        hpa_desired=scaled(plus(k.milli("hpa_desired_replicas") for k in things), 1e3), at_hpa_max=ratio(at_most, limited))

for model in sorted({life["model"] for life in lives.values() if life.get("model")}):
    mine = [n for n, life in lives.items() if life.get("model") == model and life["ns"] > 0]
    running, of_limit, kv_peak, limits, idle = [], [], [], [], 0
    full = collections.Counter()
    for b in bins(MINUTE):
        minute = []
        for n in mine:
            e = engines.get(n)
            if e is None or not (e.cut("running_requests", b, b + MINUTE) or e.extreme("running_requests", max, b, b + MINUTE) is not None):
                continue
            value, ns = e.sums("running_requests", b, b + MINUTE)
            top = e.extreme("running_requests", max, b, b + MINUTE)
            limit = e.extreme("max_sequences", max, b, b + MINUTE)
            limit = int(lives[n]["max_sequences"]) if limit is None else limit
            kv, kv_ns = e.sums("kv_cache_usage_ppm", b, b + MINUTE)
            queue, queue_ns = e.sums("waiting_requests", b, b + MINUTE)
            minute.append((e.milli("running_requests", b, b + MINUTE), limit, kv, kv_ns))
            full["kv"] += kv_ns if kv_ns and kv >= 950000 * kv_ns else 0
            full["kv_of"] += kv_ns
            full["sequences"] += ns if top is not None and top >= limit else 0
            full["sequences_of"] += ns
            full["queue"] += queue_ns if queue > 0 else 0
            full["queue_of"] += queue_ns
            if ns and value == 0 and not top:
                idle += ns * len(lives[n]["gpus"])
        if minute:
            known = [m for m in minute if m[0] is not None]
            limits.append(sum(m[1] for m in minute))
            running.append(plus(m[0] for m in minute) or 0)
            of_limit.append(ratio(sum(m[0] for m in known), 1000 * sum(m[1] for m in minute)))
            kv_peak.append(ratio(sum(m[2] for m in minute), sum(m[3] for m in minute)))
    done = collections.Counter(int(r["finished_at"]) // MINUTE for r in tables["requests"]
                               if r["role"] == "engine" and r["model"] == model and since <= int(r["finished_at"]) < until)
    top, kv_top = max(of_limit), max(k for k in kv_peak if k is not None) / 1e6
    use = [gpus[g].sums("utilization_ppm") for n in mine for g in lives[n]["gpus"] if g in gpus]
    say("capacity", model, instances=len(mine), limit=max(limits), gpu_util=scaled(ratio(sum(v for v, _ in use), sum(n for _, n in use)), 1e6), request_peak=max(done.values()) / (MINUTE // S), running_peak=max(running) / 1e3, running_of_limit=top,
        kv_peak=kv_top, at_kv=ratio(full["kv"], full["kv_of"]), at_sequences=ratio(full["sequences"], full["sequences_of"]),
        queued=ratio(full["queue"], full["queue_of"]), gpu_hours=sum(lives[n]["ns"] * len(lives[n]["gpus"]) for n in mine) / 3600 / S,
        idle_gpu_hours=idle / 3600 / S, headroom=max(0, 1 - max(top, kv_top)))


def busy(things, pick):
    sums = [pick(x) for x in things]
    means = [v / n for v, n in sums if n]
    n = sum(n for _, n in sums)
    return (scaled(sum(v for v, _ in sums) / n, 1e6), max(means) / 1e6) if n else (None, None)


def often(things, gauge, full):
    """Share of the time of minutes in which a gauge was full, of the time in which it was known."""
    known, at = 0, 0
    for x in things:
        for b in bins(MINUTE):
            value, ns = x.sums(gauge, b, b + MINUTE)
            known += ns
            at += ns if ns and full(value, ns) else 0
    return ratio(at, known)


def use(resource, utilization, saturation, errors):
    say("use", resource, utilization=utilization[0], utilization_max=utilization[1], saturation=saturation, errors=plus(errors))


def memory_of(g):
    used, free = g.sums("framebuffer_used_mib"), g.sums("framebuffer_free_mib")
    return (1e6 * used[0] / (used[0] + free[0]) * used[1], used[1]) if free[1] else (0, 0)


use("GPU", busy(gpus.values(), lambda g: g.sums("sm_active_ppm")), busy(gpus.values(), memory_of)[0],
    [g.increase("ecc_dbe_total") for g in gpus.values()] + [int(f["count"] or 1) for some in faults.values() for f in some])
use("KV cache", busy(engines.values(), lambda e: e.sums("kv_cache_usage_ppm")), often(engines.values(), "kv_cache_usage_ppm", lambda v, ns: v >= 950000 * ns),
    [e.increase("allocation_failures_total") for e in engines.values()])
use("CPU", busy(nodes.values(), lambda n: n.sums("cpu_usage_ppm")), busy(nodes.values(), lambda n: n.sums("cpu_throttled_ppm"))[0], [])
use("network", (None, None), None, [n.increase(c) for n in nodes.values() for c in ("network_errors_total", "network_drops_total")])
say("use", "scheduler", saturation=often(engines.values(), "waiting_requests", lambda v, ns: v > 0), errors=plus(e.increase("rejections_total") for e in engines.values()))
say("use", "replicas", errors=plus(k.increase("restarts_total") for k in kube.values()))
