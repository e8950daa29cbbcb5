// SPDX-License-Identifier: Apache-2.0
#ifndef C_LINUX_FILES_H
#define C_LINUX_FILES_H

// Functions of the C library that Swift's Glibc module does not declare.

#include <sys/xattr.h>

// Functions that Swift's module lacks because it is built without _GNU_SOURCE, or that glibc lacks.

extern int fallocate64(int descriptor, int mode, long long offset, long long length);
extern long syscall(long number, ...);
extern int renameat2(int old_folder, const char *old_path, int new_folder, const char *new_path, unsigned flags);
extern long copy_file_range(
    int from, long long *from_offset, int to, long long *to_offset, unsigned long length, unsigned flags);

/// Calls fallocate with FALLOC_FL_KEEP_SIZE, which allocates space without changing the file's length.
static inline int linux_reserve(int descriptor, long long offset, long long length) {
    return fallocate64(descriptor, 1, offset, length);
}

/// Calls renameat2 with RENAME_NOREPLACE.
static inline int linux_rename_without_replacing(const char *old_path, const char *new_path) {
    return renameat2(-100, old_path, -100, new_path, 1);
}

/// Opens a folder for reading with openat2. Fails if any component of the path is a symbolic link. Returns a
/// descriptor, or -1 with errno. The caller must check with fstat that the path is a folder.
static inline int linux_open_folder_without_links(const char *path) {
    struct { unsigned long long flags, mode, resolve; } how = {
        // O_DIRECTORY differs between architectures, so the caller calls fstat instead.
        .flags = 02000000 /* O_CLOEXEC */ | 04000 /* O_NONBLOCK */, .mode = 0,
        .resolve = 0x02 /* RESOLVE_NO_MAGICLINKS */ | 0x04 /* RESOLVE_NO_SYMLINKS */,
    };
    return (int)syscall(437 /* openat2 */, -100, path, &how, sizeof how);
}

/// Calls copy_file_range with the same offset in both files. The file positions of both descriptors do not change.
static inline long linux_copy_range(int from, int to, long long offset, unsigned long length) {
    long long to_offset = offset;
    return copy_file_range(from, &offset, to, &to_offset, length, 0);
}

#endif
