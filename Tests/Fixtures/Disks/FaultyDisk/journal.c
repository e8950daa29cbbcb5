// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// System calls are made by number, because this library interposes the C library's functions.

static disk_control *control;
static int journal = -1;
static char root[PATH_MAX];
static char graves[PATH_MAX];
static char boot[PATH_MAX];
static size_t root_length;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void) {
    const char *folder = getenv(DISK_JOURNAL_VARIABLE), *watched = getenv(DISK_ROOT_VARIABLE);
    if (!folder || !watched || strlen(watched) >= sizeof root) return;
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/journal", folder) >= (int)sizeof path) return;
    if (snprintf(graves, sizeof graves, "%s/graves", folder) >= (int)sizeof graves) return;
    if (snprintf(boot, sizeof boot, "%s/boot", folder) >= (int)sizeof boot) return;
    int low = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (low < 0) {
        fprintf(stderr, "FaultyDisk: %s cannot be opened: %s\n", path, strerror(errno));
        _exit(99);
    }
    // Moved away from the low numbers, because programs rely on them.
    journal = fcntl(low, F_DUPFD_CLOEXEC, 500);
    syscall(SYS_close, low);
    void *page = mmap(NULL, DISK_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, journal, 0);
    if (journal < 0 || page == MAP_FAILED) _exit(99);
    strcpy(root, watched);
    root_length = strlen(root);
    control = page;
}

__attribute__((constructor)) static void begin_early(void) { pthread_once(&once, begin); }

disk_control *disk_shared(void) {
    pthread_once(&once, begin);
    return control;
}

const char *disk_instead(const char *path) {
    return path && disk_shared() && strcmp(path, DISK_BOOT_PATH) == 0 ? boot : path;
}

void disk_lock(void) {
    pthread_mutex_lock(&mutex);
    while (flock(journal, LOCK_EX) != 0 && errno == EINTR) {
    }
}

void disk_unlock(void) {
    int kept = errno;
    flock(journal, LOCK_UN);
    pthread_mutex_unlock(&mutex);
    errno = kept;
}

static bool is_below_root(const char *path) {
    return strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

/// Returns whether the path is SQLite's shared memory.
///
/// SQLite recreates the file after each start, and writes it through a mapping that cannot be observed.
static bool is_shared_memory(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, "-shm") == 0;
}

bool disk_owns(int folder, const char *path, char *absolute) {
    if (!disk_shared() || !path) return false;
    int kept = errno;
    if (path[0] == '/') {
        if (strlen(path) >= PATH_MAX) return false;
        strcpy(absolute, path);
    } else {
        char link[64], base[PATH_MAX];
        if (folder == AT_FDCWD) strcpy(link, "/proc/self/cwd");
        else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        ssize_t count = readlink(link, base, sizeof base - 1);
        errno = kept;
        if (count <= 0) return false;
        base[count] = 0;
        if (snprintf(absolute, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return false;
    }
    return is_below_root(absolute) && !is_shared_memory(absolute);
}

bool disk_owns_open(int descriptor, bool folder, ino_t *inode, char *path) {
    if (!disk_shared()) return false;
    int kept = errno;
    struct stat facts;
    bool is_kind = fstat(descriptor, &facts) == 0 && (folder ? S_ISDIR(facts.st_mode) : S_ISREG(facts.st_mode));
    if (is_kind) {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
        ssize_t count = readlink(link, path, PATH_MAX - 1);
        path[count > 0 ? count : 0] = 0;
        *inode = facts.st_ino;
    }
    errno = kept;
    // The folder may be the root itself.
    return is_kind && (is_below_root(path) || (folder && strcmp(path, root) == 0)) && !is_shared_memory(path);
}

void disk_append(disk_record record, const void *new, const void *old, const char *first, const char *second) {
    int kept = errno;
    record.first_length = first ? (uint32_t)strlen(first) : 0;
    record.second_length = second ? (uint32_t)strlen(second) : 0;
    record.length = sizeof record + record.new_count + record.old_count + record.first_length + record.second_length;
    struct iovec parts[] = {
        {&record, sizeof record},
        {(void *)new, record.new_count},
        {(void *)old, record.old_count},
        {(void *)first, record.first_length},
        {(void *)second, record.second_length},
    };
    off_t position = DISK_CONTROL_SIZE + (off_t)control->committed;
    for (size_t index = 0; index < 5; index++) {
        size_t done = 0;
        while (done < parts[index].iov_len) {
            ssize_t count = syscall(
                SYS_pwrite64, journal, (char *)parts[index].iov_base + done, parts[index].iov_len - done, position);
            // Without a journal, no result could be trusted.
            if (count <= 0) _exit(99);
            done += (size_t)count;
            position += count;
        }
    }
    // The store goes to memory that outlives this process. The record counts from here on, and not before.
    __atomic_store_n(&control->committed, control->committed + record.length, __ATOMIC_SEQ_CST);
    errno = kept;
}

ino_t disk_bury(const char *path) {
    int kept = errno;
    struct stat facts;
    ino_t inode = 0;
    if (lstat(path, &facts) == 0 && !S_ISDIR(facts.st_mode)) {
        char grave[PATH_MAX];
        inode = facts.st_ino;
        if (snprintf(grave, sizeof grave, "%s/%llu", graves, (unsigned long long)inode) < (int)sizeof grave)
            syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, grave, 0);
    }
    errno = kept;
    return inode;
}
