// SPDX-License-Identifier: Apache-2.0
#ifndef C_LINUX_FILES_H
#define C_LINUX_FILES_H

// Calls of the C library that Swift's Glibc module does not show.

#include <sys/xattr.h>

// Two that it lacks since it is built without _GNU_SOURCE.

extern int fallocate64(int descriptor, int mode, long long offset, long long length);
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags);

/// fallocate with FALLOC_FL_KEEP_SIZE: takes room without changing the length.
static inline int linux_reserve(int descriptor, long long offset, long long length) {
    return fallocate64(descriptor, 1, offset, length);
}

/// renameat2 with RENAME_NOREPLACE.
static inline int linux_rename_without_replacing(const char *old_path, const char *new_path) {
    return renameat2(-100, old_path, -100, new_path, 1);
}

#endif
