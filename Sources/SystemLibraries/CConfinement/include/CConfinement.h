// SPDX-License-Identifier: Apache-2.0
// The system calls by which a process gives up rights for good: prctl, Landlock and seccomp.
#pragma once

/// Access to what lies at or below a path, as a set of bits.
enum {
    TRANSFER_ACCESS_READ = 1,
    TRANSFER_ACCESS_WRITE = 2,
    TRANSFER_ACCESS_EXECUTE = 4,
};

/// Keeps this process and what it may start from gaining rights by starting a program; 0, or -1 with errno.
int transfer_confine_privileges(void);

/// Keeps other processes of the user from reading this one's memory, and the kernel from writing it to a file; 0, or -1
/// with errno.
int transfer_confine_memory(void);

/// The version of Landlock that the kernel offers; 0 where it offers none.
int transfer_landlock_version(void);

/// Begins a set of rules that denies every access to files, as far as that version of Landlock knows them, and signals and
/// abstract sockets of processes outside from version 6 on. A descriptor, or -1 with errno.
int transfer_landlock_begin(int version);

/// Allows access below a path, symbolic links followed; 0, or -1 with errno. A path that does not exist is no error.
int transfer_landlock_allow(int rules, const char *path, int access, int version);

/// Puts the rules in force for this thread and those that it starts, and closes the descriptor; 0, or -1 with errno.
int transfer_landlock_enforce(int rules);

/// Whether the kernel can filter system calls with an error for an answer.
int transfer_seccomp_is_offered(void);

/// Denies with EPERM what a worker never does: starting programs and processes, looking into and signaling others,
/// mounts, io_uring, sockets but for the Internet's, changes to files by path and the like. `denies_writing` denies
/// opening files for writing too, for kernels without Landlock. 0, or a negative error number.
int transfer_seccomp_enforce(int denies_writing);

/// Whether this is a build with a sanitizer, whose reports need a program to be started and a file to be written.
int transfer_is_sanitized(void);
