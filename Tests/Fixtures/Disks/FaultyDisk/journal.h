// SPDX-License-Identifier: Apache-2.0
#ifndef FAULTY_DISK_JOURNAL_H
#define FAULTY_DISK_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "CDiskJournal.h"

/// Returns the control page, or NULL if this process does not take part.
disk_control *disk_shared(void);

/// Returns the path to open instead of the given path.
const char *disk_instead(const char *path);

/// Locks out all other threads and processes, so that records and changes have the same order.
void disk_lock(void);
void disk_unlock(void);

/// Returns whether the path, absolute or relative to `folder`, is below the watched root.
///
/// `absolute` has room for PATH_MAX bytes and receives the absolute path.
bool disk_owns(int folder, const char *path, char *absolute);

/// Returns whether the descriptor refers to a file or a folder below the watched root.
///
/// `path` has room for PATH_MAX bytes. `inode` and `path` receive the file's inode and path.
bool disk_owns_open(int descriptor, bool folder, ino_t *inode, char *path);

/// Appends a record to the journal. `first` and `second` may be NULL.
void disk_append(disk_record record, const void *new, const void *old, const char *first, const char *second);

/// Adds a link to the file in the graves folder. Its inode is then not reused, and its bytes remain for a rollback.
///
/// Returns the inode, or 0 if there is no such file.
ino_t disk_bury(const char *path);

#endif
