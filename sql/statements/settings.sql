-- The settings of a warehouse's connections.

-- name: settings
SET GLOBAL wal_autocheckpoint = '256MB';
SET GLOBAL autoinstall_known_extensions = false;
SET GLOBAL autoload_known_extensions = false;
SET GLOBAL allow_community_extensions = false;
SET GLOBAL TimeZone = 'UTC'

-- name: set_threads
SET GLOBAL threads = {value}

-- name: set_memory
SET GLOBAL memory_limit = {value}

-- name: attach_staging
ATTACH ':memory:' AS staging

-- name: use
USE {name}

-- name: drop_view
DROP VIEW IF EXISTS {name}

-- name: database
SELECT current_database()

-- name: checkpoint
CHECKPOINT
