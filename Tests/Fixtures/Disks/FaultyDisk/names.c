// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "journal.h"

// Interposed calls that change directory entries.

int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags) {
    char first[PATH_MAX], second[PATH_MAX];
    bool from = disk_owns(old_folder, old_path, first), to = disk_owns(new_folder, new_path, second);
    if (!from && !to) return (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, flags);
    // An exchange, or a rename into or out of the folder, cannot be rolled back.
    if (!from || !to || flags & RENAME_EXCHANGE) {
        errno = EXDEV;
        return -1;
    }
    disk_lock();
    struct stat facts;
    int result = -1;
    if (lstat(first, &facts) != 0) {
        errno = ENOENT;
    } else if (flags & RENAME_NOREPLACE && lstat(second, &(struct stat){0}) == 0) {
        errno = EEXIST;
    } else {
        disk_record record = {.kind = DISK_RENAME, .inode = facts.st_ino, .replaced = disk_bury(second)};
        disk_append(record, NULL, NULL, first, second);
        result = (int)syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, flags);
    }
    disk_unlock();
    return result;
}

int rename(const char *old_path, const char *new_path) {
    return renameat2(AT_FDCWD, old_path, AT_FDCWD, new_path, 0);
}

int renameat(int old_folder, const char *old_path, int new_folder, const char *new_path) {
    return renameat2(old_folder, old_path, new_folder, new_path, 0);
}

int unlinkat(int folder, const char *path, int flags) {
    char absolute[PATH_MAX];
    // Removed folders are not restored by a rollback, because no program here relies on it.
    if (flags & AT_REMOVEDIR || !disk_owns(folder, path, absolute))
        return (int)syscall(SYS_unlinkat, folder, path, flags);
    disk_lock();
    ino_t inode = disk_bury(absolute);
    if (inode) disk_append((disk_record){.kind = DISK_UNLINK, .inode = inode}, NULL, NULL, absolute, NULL);
    int result = (int)syscall(SYS_unlinkat, folder, path, flags);
    disk_unlock();
    return result;
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int remove(const char *path) {
    struct stat facts;
    bool is_folder = lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    return unlinkat(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}

int linkat(int old_folder, const char *old_path, int new_folder, const char *new_path, int flags) {
    char absolute[PATH_MAX];
    if (!disk_owns(new_folder, new_path, absolute))
        return (int)syscall(SYS_linkat, old_folder, old_path, new_folder, new_path, flags);
    disk_lock();
    struct stat facts;
    if (lstat(absolute, &facts) != 0) disk_append((disk_record){.kind = DISK_LINK}, NULL, NULL, absolute, NULL);
    int result = (int)syscall(SYS_linkat, old_folder, old_path, new_folder, new_path, flags);
    disk_unlock();
    return result;
}

int link(const char *old_path, const char *new_path) { return linkat(AT_FDCWD, old_path, AT_FDCWD, new_path, 0); }

int symlinkat(const char *target, int folder, const char *path) {
    char absolute[PATH_MAX];
    if (!disk_owns(folder, path, absolute)) return (int)syscall(SYS_symlinkat, target, folder, path);
    disk_lock();
    struct stat facts;
    if (lstat(absolute, &facts) != 0) disk_append((disk_record){.kind = DISK_LINK}, NULL, NULL, absolute, NULL);
    int result = (int)syscall(SYS_symlinkat, target, folder, path);
    disk_unlock();
    return result;
}

int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

int mkdirat(int folder, const char *path, mode_t mode) {
    char absolute[PATH_MAX];
    if (!disk_owns(folder, path, absolute)) return (int)syscall(SYS_mkdirat, folder, path, mode);
    disk_lock();
    struct stat facts;
    if (lstat(absolute, &facts) != 0) disk_append((disk_record){.kind = DISK_MAKE_FOLDER}, NULL, NULL, absolute, NULL);
    int result = (int)syscall(SYS_mkdirat, folder, path, mode);
    disk_unlock();
    return result;
}

int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

// The C library implements these functions with internal calls that cannot be interposed.

static int record_temporary(int descriptor, const char *path) {
    char absolute[PATH_MAX];
    if (descriptor >= 0 && disk_owns(AT_FDCWD, path, absolute)) {
        disk_lock();
        disk_append((disk_record){.kind = DISK_CREATE}, NULL, NULL, absolute, NULL);
        disk_unlock();
    }
    return descriptor;
}

static int temporary(char *pattern, int ending, int flags) {
    size_t length = 0;
    while (pattern[length]) length++;
    if (length < 6 + (size_t)ending) {
        errno = EINVAL;
        return -1;
    }
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char *suffix = pattern + length - (size_t)ending - 6;
    for (int attempt = 0; attempt < 1000; attempt++) {
        for (int index = 0; index < 6; index++) {
            unsigned char byte;
            if (syscall(SYS_getrandom, &byte, 1, 0) != 1) return -1;
            suffix[index] = letters[byte % (sizeof letters - 1)];
        }
        int descriptor = (int)syscall(SYS_openat, AT_FDCWD, pattern, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (descriptor >= 0 || errno != EEXIST) return record_temporary(descriptor, pattern);
    }
    return -1;
}

int mkstemp(char *pattern) { return temporary(pattern, 0, 0); }
int mkstemp64(char *pattern) { return temporary(pattern, 0, 0); }
int mkostemp(char *pattern, int flags) { return temporary(pattern, 0, flags); }
int mkostemp64(char *pattern, int flags) { return temporary(pattern, 0, flags); }
int mkstemps(char *pattern, int ending) { return temporary(pattern, ending, 0); }
