// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Seconds for `count` rows of a transfer each, `batch` in a durable transaction, into a new database at `path`; below 0
/// where SQLite fails.
double raw_store_submit(const char *path, int count, int batch);

/// Seconds to read the columns that decide, of all rows of `queue` in the store's database at `path`; below 0 where
/// SQLite fails. `rows` gets their number.
double raw_store_scan(const char *path, long long *rows);

/// Seconds for `count` times 4 KiB appended to a new file at `path` and synced; below 0 where that fails.
double raw_sync(const char *path, int count);
