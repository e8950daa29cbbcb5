// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Returns the seconds to insert `count` transfers into a new database at `path`, with `batch` transfers per durable
/// transaction. Returns a negative number if SQLite fails.
double raw_store_submit(const char *path, int count, int batch);

/// Returns the seconds to read the scheduling columns of all rows of `queue` in the store's database at `path`.
/// Stores the number of rows in `rows`. Returns a negative number if SQLite fails.
double raw_store_scan(const char *path, long long *rows);

/// Returns the seconds to append and sync 4 KiB, `count` times, to a new file at `path`. Returns a negative number on
/// failure.
double raw_sync(const char *path, int count);
