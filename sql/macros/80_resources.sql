-- Ranges of time and steps of a series, for the reports that read windows of gauges and counters.

-- Is a window inside [since, until)? NULL is open.
CREATE OR REPLACE MACRO v1.in_range(window_start, since, until) AS
    window_start >= coalesce(since, '-infinity'::TIMESTAMP)
    AND window_start < coalesce(until, 'infinity'::TIMESTAMP);

-- The tier for shares of time and busiest moments in a range that is so many seconds long: minutes, over three days quarters of an
-- hour, 10 s where a minute does not fit the range as it was given.
CREATE OR REPLACE MACRO v1.minute_tier(since, until, seconds) AS
    CASE
        WHEN seconds > 259200 THEN v1.tier_for(since, until)
        ELSE least(v1.tier_for(since, until), 60)
    END;

-- Length of a step that makes at most 120 of a range, in seconds, from 10 s to a day.
CREATE OR REPLACE MACRO v1.step_for(since, until) AS
    coalesce(
        list_filter([10, 60, 300, 900, 3600, 14400], lambda s: s * 120 >= v1.seconds_between(since, until))[1],
        86400
    )::BIGINT;

-- The coarsest tier of which a step is made, for a range.
CREATE OR REPLACE MACRO v1.step_tier(step, since, until) AS
    CASE
        WHEN step <= 0 OR step % 10 <> 0 THEN error('a step is a multiple of 10 seconds')
        WHEN step % 900 = 0 THEN v1.tier_for(since, until)
        WHEN step % 60 = 0 THEN least(v1.tier_for(since, until), 60)
        ELSE 10
    END;

-- Mean of a gauge in whole thousandths, so that means of several things can be added up.
CREATE OR REPLACE MACRO v1.milli_mean(value_ns, observed_ns) AS
    CASE WHEN observed_ns > 0 THEN (value_ns::HUGEINT * 1000 + observed_ns // 2) // observed_ns END;

-- Share of the expected time in which something was known; NULL where nothing is expected.
CREATE OR REPLACE MACRO v1.covered(observed_ns, expected_ns) AS
    CASE WHEN observed_ns >= expected_ns AND expected_ns > 0 THEN 1 ELSE v1.ratio(coalesce(observed_ns, 0), expected_ns) END;

-- A list of names as one text; NULL when there is none.
CREATE OR REPLACE MACRO v1.names(list) AS
    nullif(array_to_string(list_sort(list_distinct(list)), ' '), '');

-- What reports group engines by.
CREATE OR REPLACE MACRO v1.engine_group(kind, instance, model, model_version, deployment, namespace, node, gpu_type) AS
    CASE kind
        WHEN 'all' THEN 'all'
        WHEN 'instance' THEN instance
        WHEN 'model' THEN model
        WHEN 'model_version' THEN v1.pair(model, '@', model_version)
        WHEN 'deployment' THEN deployment
        WHEN 'namespace' THEN namespace
        WHEN 'node' THEN node
        WHEN 'gpu_type' THEN gpu_type
    END;

-- A gauge as a share of a limit, in millionths times ns: Σ value_ns / observed_ns of it over that of the limit. Of one window:
-- beyond a quarter of an hour the product has too many digits.
CREATE OR REPLACE MACRO v1.share_ns(value_ns, observed_ns, limit_value_ns, limit_observed_ns) AS
    CASE
        WHEN limit_value_ns > 0
        THEN (value_ns::HUGEINT * 1000000 * limit_observed_ns + limit_value_ns // 2) // limit_value_ns
    END;
