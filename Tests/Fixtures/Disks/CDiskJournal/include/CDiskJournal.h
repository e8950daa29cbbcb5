// SPDX-License-Identifier: Apache-2.0
#ifndef C_DISK_JOURNAL_H
#define C_DISK_JOURNAL_H

#include <stdint.h>

// What the faulty disk writes down and what it is told, as both sides read it.

/// The kinds of records. What is written down comes before it is done: who reads has to cope with the last one of each
/// process not having been done.
enum {
    DISK_WRITE = 1,
    /// `offset` is the new size; the old bytes are those behind it.
    DISK_TRUNCATE = 2,
    /// Whatever was written to the file before is durable.
    DISK_SYNC = 3,
    /// The same of the names in a folder, `first`.
    DISK_SYNC_FOLDER = 4,
    /// A sync failed: what was written before can no longer become durable by another.
    DISK_LOST = 5,
    /// A new file `first`.
    DISK_CREATE = 6,
    /// `first` is another name of the inode, or a new symbolic link.
    DISK_LINK = 7,
    /// `first` is removed.
    DISK_UNLINK = 8,
    /// `first` becomes `second`; `replaced` is the inode that had that name, or 0.
    DISK_RENAME = 9,
    /// A new folder `first`.
    DISK_MAKE_FOLDER = 10,
};

/// One record; `new_count` bytes, `old_count` bytes, and both names follow it.
typedef struct {
    /// All of it, with what follows.
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

/// The first page of the journal, mapped by all who take part; records follow it.
typedef struct {
    /// Bytes of records that are whole. What a killed process left behind them does not count.
    uint64_t committed;
    /// How many more bytes fit on the disk; below 0 there is no end.
    int64_t room;
    /// How many more syncs go well before one fails with EIO; below 0 all do.
    int64_t good_syncs;
    /// Microseconds that each write and each sync takes longer.
    uint32_t delay;
    /// Writes take at most so many bytes at once; 0 is no limit.
    uint32_t most_at_once;
} disk_control;

#define DISK_CONTROL_SIZE 4096
/// The environment: the folder whose files are meant, without a slash at its end, and the folder of the journal.
#define DISK_ROOT_VARIABLE "FAULTY_DISK_ROOT"
#define DISK_JOURNAL_VARIABLE "FAULTY_DISK_JOURNAL"

/// Where Linux tells the name of this boot; programs read it from the file `boot` beside the journal, since a power loss is
/// followed by another boot.
#define DISK_BOOT_PATH "/proc/sys/kernel/random/boot_id"

#endif
