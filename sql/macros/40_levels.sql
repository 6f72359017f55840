-- Tiers of windows: 10 s, 1 min, 15 min and a UTC day, each rolled up from the one below.

-- Commit up to which a table's level was rolled up from the level below; -1 before the first roll-up.
CREATE OR REPLACE MACRO v1.rolled_to(name, tier) AS
    coalesce((SELECT max(p.commit) FROM main.rollup_positions p WHERE p.source = name AND p.level = tier), -1);

-- Is a tier of a table kept for a time? From where retention removed rows on, what came later is only a rest.
CREATE OR REPLACE MACRO v1.is_kept(name, tier, t) AS
    coalesce(t >= (SELECT max(k."before") FROM main.retention k WHERE k."table" = name AND k.level = tier), TRUE);

-- Does a stored row belong to a tier? Its own rows do, and those of lower tiers that no tier between has taken up yet.
-- Every stored row is therefore in a tier exactly once: itself, or inside a row that it was rolled into. Where a tier is
-- not kept any longer it has none.
CREATE OR REPLACE MACRO v1.in_tier(name, tier, level, commit, window_start) AS
    (
        level = tier
        OR (tier > 10 AND level = 10 AND commit > v1.rolled_to(name, 60))
        OR (tier > 60 AND level = 60 AND commit > v1.rolled_to(name, 900))
        OR (tier > 900 AND level = 900 AND commit > v1.rolled_to(name, 86400))
    )
    AND v1.is_kept(name, tier, window_start);

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
