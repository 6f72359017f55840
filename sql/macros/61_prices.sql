-- How the price of an instance is found.

-- How an instance is bought, where its price_key ends in that: gpu_8x_h100/spot. NULL: not told.
CREATE OR REPLACE MACRO v1.bought_as(price_key) AS
    CASE WHEN split_part(price_key, '/', -1) IN ('on_demand', 'spot', 'reserved', 'on_prem') THEN split_part(price_key, '/', -1) END;

-- The price_key without how it is bought.
CREATE OR REPLACE MACRO v1.price_key_of(price_key) AS
    CASE
        WHEN v1.bought_as(price_key) IS NULL THEN price_key
        ELSE nullif(rtrim(left(price_key, length(price_key) - length(v1.bought_as(price_key))), '/'), '')
    END;

-- How closely a price fits an instance: by its price_key, else its node, else its region, else its GPU type alone; of those the one
-- that is bought alike, else the one that says nothing of it, else on_demand, reserved, on_prem. NULL: it is not for that instance.
-- What a price does not name is any; beside a price_key its GPU type is no condition. A spot price is for what is told to be spot.
CREATE OR REPLACE MACRO v1.price_fit(
    price_key, node, region, gpu_type, kind, of_price_key, of_node, of_region, of_gpu_type, of_kind
) AS
    CASE
        WHEN NOT coalesce(price_key IS NULL OR price_key = of_price_key, FALSE) THEN NULL
        WHEN NOT coalesce(node IS NULL OR node = of_node, FALSE) THEN NULL
        WHEN NOT coalesce(region IS NULL OR region = of_region, FALSE) THEN NULL
        WHEN NOT coalesce(price_key IS NOT NULL OR gpu_type IS NULL OR gpu_type = of_gpu_type OR gpu_type = of_price_key, FALSE) THEN NULL
        WHEN NOT coalesce(kind IS NULL OR kind = of_kind, kind <> 'spot') THEN NULL
        ELSE
            CASE WHEN price_key IS NOT NULL OR coalesce(gpu_type = of_price_key, FALSE) THEN 80 ELSE 0 END
            + CASE WHEN node IS NOT NULL THEN 40 ELSE 0 END
            + CASE WHEN region IS NOT NULL THEN 20 ELSE 0 END
            + CASE WHEN gpu_type IS NOT NULL THEN 10 ELSE 0 END
            + CASE WHEN kind = of_kind THEN 5 WHEN kind IS NULL THEN 4 WHEN kind = 'on_demand' THEN 3 WHEN kind = 'reserved' THEN 2 ELSE 1 END
    END;

-- The variant that costs are made of: the one that was chosen where it is known, else the next of effective, contracted, list.
CREATE OR REPLACE MACRO v1.chosen_price(choice, list, contracted, effective) AS
    CASE choice
        WHEN 'list' THEN list
        WHEN 'contracted' THEN coalesce(contracted, list)
        ELSE coalesce(effective, contracted, list)
    END;
