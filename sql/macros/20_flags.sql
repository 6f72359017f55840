-- Flags of a request row: bits in the table, names in the views. A test holds the names to aggregate/flags.go.

-- Names by bit, from bit 0.
CREATE OR REPLACE MACRO v1.all_flag_names() AS
    ['conflict', 'outcome_conflict', 'clock', 'derived_received', 'negative_duration', 'cached_over_prompt',
     'fewer_than_seen', 'span', 'ambiguous_id', 'expired', 'evicted', 'log_gap', 'no_convention', 'underflow', 'restarted'];

-- Bit mask to list of names, in the order of the bits; no flag is the empty list.
CREATE OR REPLACE MACRO v1.flag_names(mask) AS
    CASE
        WHEN coalesce(mask, 0) = 0 THEN []::VARCHAR[]
        ELSE list_filter(v1.all_flag_names(), lambda name, i: (mask >> (i - 1)) & 1 = 1)
    END;

-- The bit of a name.
CREATE OR REPLACE MACRO v1.flag_bit(name) AS
    1::BIGINT << (list_position(v1.all_flag_names(), name) - 1)::BIGINT;
