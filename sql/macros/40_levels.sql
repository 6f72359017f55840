-- Tiers of windows: 10 s, 1 min, 15 min and a UTC day, each rolled up from the one below.

-- Commit up to which a table's level was rolled up from the level below; -1 before the first roll-up.
CREATE OR REPLACE MACRO v1.rolled_to(name, tier) AS
    coalesce((SELECT max(p.commit) FROM main.rollup_positions p WHERE p.source = name AND p.level = tier), -1);

-- From where on a tier of a table is kept: retention removed rows before it, of which later ones would only be a rest.
CREATE OR REPLACE MACRO v1.kept_from(name, tier) AS
    coalesce((SELECT max(k."before") FROM main.retention k WHERE k."table" = name AND k.level = tier), '-infinity'::TIMESTAMP_NS);

-- A tier has its own rows and those of lower tiers that no tier between has taken up yet. Every stored row is therefore in a tier
-- exactly once: itself, or inside a row that it was rolled into. One row a tier and lower level whose rows of later commits than
-- after_commit are such a rest.
CREATE OR REPLACE MACRO v1.rests(name) AS TABLE
SELECT upper_level, lower_level, v1.rolled_to(name, taker) AS after_commit, v1.kept_from(name, upper_level) AS kept_from
FROM (VALUES (60, 10, 60), (900, 10, 60), (86400, 10, 60), (900, 60, 900), (86400, 60, 900), (86400, 900, 86400)) t (upper_level, lower_level, taker);

-- Commit behind which all rests of a table lie.
CREATE OR REPLACE MACRO v1.rests_after(name) AS
    (SELECT min(r.after_commit) FROM v1.rests(name) r);

-- Start of the window of a tier that a time falls into.
CREATE OR REPLACE MACRO v1.window_of(tier, t) AS
    time_bucket(to_seconds(tier), t::TIMESTAMP);

-- The coarsest tier whose windows fit a time range without a rest; 900 where the range is open.
CREATE OR REPLACE MACRO v1.tier_for(since, until) AS
    CASE
        WHEN coalesce(epoch_us(since), 0) % 900000000 = 0 AND coalesce(epoch_us(until), 0) % 900000000 = 0 THEN 900
        WHEN coalesce(epoch_us(since), 0) % 60000000 = 0 AND coalesce(epoch_us(until), 0) % 60000000 = 0 THEN 60
        ELSE 10
    END;

-- Share of a window for which something was known. More than the window cannot be: several boots of one source could
-- say so. A window of which nothing was known has 0.
CREATE OR REPLACE MACRO v1.coverage(observed_ns, tier) AS
    CASE
        WHEN observed_ns >= tier * 1000000000 THEN 1
        ELSE coalesce(v1.ratio(observed_ns, tier * 1000000000), 0)
    END;

-- The same, also the day: what a report that does not show the windows themselves reads.
CREATE OR REPLACE MACRO v1.report_tier(since, until) AS
    CASE
        WHEN coalesce(epoch_us(since), 0) % 86400000000 = 0 AND coalesce(epoch_us(until), 0) % 86400000000 = 0 THEN 86400
        ELSE v1.tier_for(since, until)
    END;

-- Seconds of a step that draws a range of so many seconds in about a hundred points.
CREATE OR REPLACE MACRO v1.series_step(seconds) AS
    CASE
        WHEN seconds <= 960 THEN 10
        WHEN seconds <= 5760 THEN 60
        WHEN seconds <= 28800 THEN 300
        WHEN seconds <= 86400 THEN 900
        WHEN seconds <= 345600 THEN 3600
        WHEN seconds <= 2073600 THEN 21600
        ELSE 86400
    END;

-- The coarsest tier whose windows fit a step without a rest.
CREATE OR REPLACE MACRO v1.tier_of_step(step) AS
    CASE
        WHEN step <= 0 OR step % 10 <> 0 THEN error('a step is a multiple of 10 seconds')
        WHEN step % 86400 = 0 THEN 86400
        WHEN step % 900 = 0 THEN 900
        WHEN step % 60 = 0 THEN 60
        ELSE 10
    END;
