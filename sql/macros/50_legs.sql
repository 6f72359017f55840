-- The first of the wanted names that is present; without any, the first that is.
CREATE OR REPLACE MACRO v1.first_of(wanted, present) AS
    coalesce(list_filter(wanted, lambda name: list_contains(present, name))[1], present[1]);
