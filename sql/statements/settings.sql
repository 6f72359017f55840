-- The settings of a warehouse's connections.

-- name: settings
SET GLOBAL wal_autocheckpoint = '40MB';
SET GLOBAL autoinstall_known_extensions = false;
SET GLOBAL autoload_known_extensions = false;
SET GLOBAL allow_community_extensions = false;
SET GLOBAL TimeZone = 'UTC'

-- name: set_threads
SET GLOBAL threads = {value}

-- name: set_memory
SET GLOBAL memory_limit = {value}

-- Row groups of 16,384 rows, not 122,880: a checkpoint writes the last ones anew, with all their columns, and nothing is
-- committed meanwhile. A table takes a tenth more room, and reading all of it up to a tenth more time. {more} are options.
-- name: attach
ATTACH IF NOT EXISTS {path} AS {name} (ROW_GROUP_SIZE 16384{more})

-- name: use
USE {name}

-- name: drop_view
DROP VIEW IF EXISTS {name}

-- name: checkpoint
CHECKPOINT
