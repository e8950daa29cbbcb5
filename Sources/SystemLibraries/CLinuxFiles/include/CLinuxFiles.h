// SPDX-License-Identifier: Apache-2.0
#ifndef C_LINUX_FILES_H
#define C_LINUX_FILES_H

// Calls of the C library that Swift's Glibc module does not show.

#include <sys/xattr.h>

// Some that it lacks since it is built without _GNU_SOURCE, or that glibc lacks.

extern int fallocate64(int descriptor, int mode, long long offset, long long length);
extern long syscall(long number, ...);
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags);
extern long copy_file_range(
    int from, long long *from_offset, int to, long long *to_offset, unsigned long length, unsigned flags);

/// fallocate with FALLOC_FL_KEEP_SIZE: takes room without changing the length.
static inline int linux_reserve(int descriptor, long long offset, long long length) {
    return fallocate64(descriptor, 1, offset, length);
}

/// renameat2 with RENAME_NOREPLACE.
static inline int linux_rename_without_replacing(const char *old_path, const char *new_path) {
    return renameat2(-100, old_path, -100, new_path, 1);
}

/// openat2 of a folder, for reading, where no part of its path is a symbolic link; a descriptor, or -1 with errno.
static inline int linux_open_folder_without_links(const char *path) {
    struct { unsigned long long flags, mode, resolve; } how = {
        // O_DIRECTORY differs between architectures, so that the kernel is asked by fstat in its place.
        .flags = 02000000 /* O_CLOEXEC */ | 04000 /* O_NONBLOCK */, .mode = 0,
        .resolve = 0x02 /* RESOLVE_NO_MAGICLINKS */ | 0x04 /* RESOLVE_NO_SYMLINKS */,
    };
    return (int)syscall(437 /* openat2 */, -100, path, &how, sizeof how);
}

/// copy_file_range from one offset to the same one; both descriptors keep their positions.
static inline long linux_copy_range(int from, int to, long long offset, unsigned long length) {
    long long to_offset = offset;
    return copy_file_range(from, &offset, to, &to_offset, length, 0);
}

#endif
