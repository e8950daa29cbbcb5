// SPDX-License-Identifier: Apache-2.0
#ifndef C_DISK_JOURNAL_H
#define C_DISK_JOURNAL_H

#include <stdint.h>

// The format of the faulty disk's journal and control page, shared by the writer and the reader.

/// The kinds of records.
///
/// A record is written before its change is made. If a process was killed, its last recorded change
/// may never have been made.
enum {
    DISK_WRITE = 1,
    /// `offset` is the new size. The old bytes are the bytes after the new size.
    DISK_TRUNCATE = 2,
    /// All earlier writes to the file are durable.
    DISK_SYNC = 3,
    /// All earlier changes of names in the folder `first` are durable.
    DISK_SYNC_FOLDER = 4,
    /// A sync failed. A later sync can no longer make the earlier writes durable.
    DISK_LOST = 5,
    /// The file `first` was created.
    DISK_CREATE = 6,
    /// `first` is a new hard link to the inode, or a new symbolic link.
    DISK_LINK = 7,
    /// `first` was removed.
    DISK_UNLINK = 8,
    /// `first` was renamed to `second`. `replaced` is the inode that had the name `second` before, or 0.
    DISK_RENAME = 9,
    /// The folder `first` was created.
    DISK_MAKE_FOLDER = 10,
};

/// One record. `new_count` new bytes, `old_count` old bytes, and both names follow the record.
typedef struct {
    /// The length of the record in bytes, including the data that follows.
    uint64_t length;
    uint64_t inode;
    uint64_t replaced;
    int64_t offset;
    int64_t old_size;
    uint64_t new_count;
    uint64_t old_count;
    uint32_t kind;
    uint32_t first_length;
    uint32_t second_length;
    uint32_t unused;
} disk_record;

/// The first page of the journal, mapped by all processes that take part. The records follow the page.
typedef struct {
    /// The total length of the complete records. Bytes after them, left by a killed process, do not count.
    uint64_t committed;
    /// The number of syncs that succeed before one fails with EIO. Negative values mean that all succeed.
    int64_t good_syncs;
    /// The additional time that each write and each sync takes, in microseconds.
    uint32_t delay;
    uint32_t unused;
} disk_control;

#define DISK_CONTROL_SIZE 4096
/// The environment variables: the watched folder, without a trailing slash, and the folder of the journal.
#define DISK_ROOT_VARIABLE "FAULTY_DISK_ROOT"
#define DISK_JOURNAL_VARIABLE "FAULTY_DISK_JOURNAL"

/// The path from which Linux programs read the boot id.
///
/// Programs get the file `boot` next to the journal instead, because a new boot follows a power loss.
#define DISK_BOOT_PATH "/proc/sys/kernel/random/boot_id"

#endif
