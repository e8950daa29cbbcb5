// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "journal.h"

// Interposed calls that change the bytes of files or make them durable.

/// Returns the bytes that a change overwrites or removes, or NULL if there are none.
///
/// `count` holds the maximum number of bytes on entry and the actual number on return.
static void *old_bytes(int descriptor, off_t offset, uint64_t *count) {
    struct stat facts;
    if (fstat(descriptor, &facts) != 0 || offset >= facts.st_size) *count = 0;
    else if (*count > (uint64_t)(facts.st_size - offset)) *count = (uint64_t)(facts.st_size - offset);
    if (*count == 0) return NULL;
    // A confined worker may not open paths, but the files it writes are also open for reading. Elsewhere, a file may
    // be open for writing only.
    bool is_readable = (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR;
    int readable = descriptor;
    if (!is_readable) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        readable = (int)syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
    }
    char *bytes = malloc(*count);
    uint64_t done = 0;
    while (bytes && readable >= 0 && done < *count) {
        ssize_t got = pread(readable, bytes + done, *count - done, offset + (off_t)done);
        if (got <= 0) break;
        done += (uint64_t)got;
    }
    if (!is_readable && readable >= 0) syscall(SYS_close, readable);
    if (done < *count) _exit(99);
    return bytes;
}

static off_t size_of(int descriptor) {
    struct stat facts;
    return fstat(descriptor, &facts) == 0 ? facts.st_size : 0;
}

static void dawdle(void) {
    uint32_t delay = disk_shared()->delay;
    if (delay) usleep(delay);
}

static ssize_t write_at(int descriptor, ino_t inode, const void *bytes, size_t count, off_t offset, bool moves) {
    dawdle();
    disk_lock();
    if (moves) {
        bool appends = fcntl(descriptor, F_GETFL) & O_APPEND;
        offset = appends ? size_of(descriptor) : lseek(descriptor, 0, SEEK_CUR);
    }
    disk_record record = {.kind = DISK_WRITE, .inode = inode, .offset = offset, .new_count = count};
    record.old_size = size_of(descriptor);
    record.old_count = count;
    void *old = old_bytes(descriptor, offset, &record.old_count);
    disk_append(record, bytes, old, NULL, NULL);
    free(old);
    ssize_t result = moves ? syscall(SYS_write, descriptor, bytes, count)
                           : syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    disk_unlock();
    return result;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    char path[PATH_MAX];
    ino_t inode;
    if (!disk_owns_open(descriptor, false, &inode, path)) return syscall(SYS_write, descriptor, bytes, count);
    return write_at(descriptor, inode, bytes, count, 0, true);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    char path[PATH_MAX];
    ino_t inode;
    if (!disk_owns_open(descriptor, false, &inode, path))
        return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
    return write_at(descriptor, inode, bytes, count, offset, false);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return pwrite(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    ino_t inode;
    if (!disk_owns_open(descriptor, false, &inode, path)) return syscall(SYS_writev, descriptor, parts, count);
    // Only the first part is written. The result is a short write, which callers have to handle.
    for (int index = 0; index < count; index++)
        if (parts[index].iov_len) return write(descriptor, parts[index].iov_base, parts[index].iov_len);
    return 0;
}

static int truncate_recorded(int descriptor, ino_t inode, off_t size) {
    disk_record record = {.kind = DISK_TRUNCATE, .inode = inode, .offset = size, .old_size = size_of(descriptor)};
    record.old_count = UINT64_MAX;
    void *old = old_bytes(descriptor, size, &record.old_count);
    if (record.old_size != size) disk_append(record, NULL, old, NULL, NULL);
    free(old);
    return (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate(int descriptor, off_t size) {
    char path[PATH_MAX];
    ino_t inode;
    if (!disk_owns_open(descriptor, false, &inode, path)) return (int)syscall(SYS_ftruncate, descriptor, size);
    disk_lock();
    int result = truncate_recorded(descriptor, inode, size);
    disk_unlock();
    return result;
}

int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

/// Opens a file, and records its creation or truncation.
static int opening(int folder, const char *path, int flags, mode_t mode) {
    char absolute[PATH_MAX];
    path = disk_instead(path);
    bool changes = flags & (O_CREAT | O_TRUNC) && (flags & O_TMPFILE) != O_TMPFILE;
    if (!changes || !disk_owns(folder, path, absolute))
        return (int)syscall(SYS_openat, folder, path, flags, mode);
    disk_lock();
    struct stat facts;
    if (flags & O_CREAT && lstat(absolute, &facts) != 0)
        disk_append((disk_record){.kind = DISK_CREATE}, NULL, NULL, absolute, NULL);
    int descriptor = (int)syscall(SYS_openat, folder, path, flags & ~O_TRUNC, mode);
    if (descriptor >= 0 && flags & O_TRUNC && fstat(descriptor, &facts) == 0)
        truncate_recorded(descriptor, facts.st_ino, 0);
    disk_unlock();
    return descriptor;
}

#define MODE_OF(flags)                                  \
    mode_t mode = 0;                                    \
    if ((flags) & (O_CREAT | O_TMPFILE)) {              \
        va_list rest;                                   \
        va_start(rest, flags);                          \
        mode = va_arg(rest, mode_t);                    \
        va_end(rest);                                   \
    }

int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return opening(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return opening(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE_OF(flags)
    return opening(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    MODE_OF(flags)
    return opening(folder, path, flags, mode);
}

int creat(const char *path, mode_t mode) { return opening(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int creat64(const char *path, mode_t mode) { return creat(path, mode); }

// The C library opens files for these functions with an internal call, so only the path can be replaced.

typedef FILE *opener(const char *, const char *);

FILE *fopen(const char *path, const char *mode) {
    return ((opener *)dlsym(RTLD_NEXT, "fopen"))(disk_instead(path), mode);
}

FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }

/// Records a sync without syncing the real disk. The journal alone determines durability, and runs are much faster.
static int syncing(int descriptor, int number) {
    char path[PATH_MAX];
    ino_t inode;
    bool is_folder = disk_owns_open(descriptor, true, &inode, path);
    if (!is_folder && !disk_owns_open(descriptor, false, &inode, path)) return (int)syscall(number, descriptor);
    dawdle();
    disk_lock();
    disk_control *control = disk_shared();
    disk_record record = {.kind = is_folder ? DISK_SYNC_FOLDER : DISK_SYNC, .inode = inode};
    int result = 0;
    if (control->good_syncs == 0) {
        control->good_syncs = -1;
        record.kind = DISK_LOST;
        result = -1;
    } else if (control->good_syncs > 0) {
        control->good_syncs -= 1;
    }
    disk_append(record, NULL, NULL, is_folder ? path : NULL, NULL);
    disk_unlock();
    if (result != 0) errno = EIO;
    return result;
}

int fsync(int descriptor) { return syncing(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return syncing(descriptor, SYS_fdatasync); }
