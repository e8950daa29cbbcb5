// SPDX-License-Identifier: Apache-2.0
// System calls with which a process permanently gives up rights: prctl, Landlock, and seccomp.
#pragma once

/// Access to files at or below a path, as a set of bits.
enum {
    TRANSFER_ACCESS_READ = 1,
    TRANSFER_ACCESS_WRITE = 2,
    TRANSFER_ACCESS_EXECUTE = 4,
    /// Creating folders in a folder.
    TRANSFER_ACCESS_FOLDERS = 8,
};

/// Gives up all capabilities, which only root has, and prevents this process and its children from gaining privileges by
/// starting a program. Returns 0, or -1 with errno.
int transfer_confine_privileges(void);

/// Prevents other processes of the user from reading this process's memory, and the kernel from dumping it to a file.
/// Returns 0, or -1 with errno.
int transfer_confine_memory(void);

/// Returns the version of Landlock that the kernel supports; 0 if the kernel does not support Landlock.
int transfer_landlock_version(void);

/// Creates a ruleset that denies every access to files that the version of Landlock can control. From version 6 on,
/// the ruleset also denies signals to processes outside and connections to their abstract sockets. Returns a
/// descriptor, or -1 with errno.
int transfer_landlock_begin(int version);

/// Allows access at and below a path. Symbolic links are followed. A path that does not exist, or that this process
/// cannot reach, is not an error. Returns 0, or -1 with errno.
int transfer_landlock_allow(int rules, const char *path, int access, int version);

/// Enforces the ruleset for this thread and the threads that it starts, and closes the descriptor. Returns 0, or -1
/// with errno.
int transfer_landlock_enforce(int rules);

/// Returns whether the kernel can filter system calls and return an error for a denied call.
int transfer_seccomp_is_offered(void);

/// Denies, with EPERM, system calls that a worker never needs. Examples are starting programs, inspecting and signaling
/// other processes, mounts, io_uring, and changes to files by path. Only Internet sockets, netlink sockets, and
/// connected pairs can be created. `denies_writing` also denies opening files for writing, for kernels without
/// Landlock. `is_server` is for transfer-rpc: it can make folders, and cannot create or connect any socket. Returns 0, or
/// a negative error number.
int transfer_seccomp_enforce(int denies_writing, int is_server);

/// Returns whether this is a build with a sanitizer. The reports of a sanitizer require starting a program and writing
/// a file.
int transfer_is_sanitized(void);
