// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTY_DISK_JOURNAL_H
#define FAULTY_DISK_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "CDiskJournal.h"

/// The control page; NULL where this process takes no part.
disk_control *disk_shared(void);

/// The path to open in place of that one.
const char *disk_instead(const char *path);

/// Keeps all other threads and processes from changing anything, so that records and deeds have one order.
void disk_lock(void);
void disk_unlock(void);

/// Whether the path, absolute or from `folder` on, is of ours; `absolute` then holds it, PATH_MAX bytes.
bool disk_owns(int folder, const char *path, char *absolute);

/// Whether the descriptor is of a file or folder of ours; `inode` and `path` (PATH_MAX bytes) then tell which.
bool disk_owns_open(int descriptor, bool folder, ino_t *inode, char *path);

/// Writes a record down. `first` and `second` may be NULL.
void disk_note(disk_record record, const void *new, const void *old, const char *first, const char *second);

/// Keeps the inode of that name from being used again, and its bytes for whoever rolls the removal back.
///
/// Returns the inode; 0 where there is none.
ino_t disk_bury(const char *path);

#endif
