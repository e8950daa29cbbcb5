// SPDX-License-Identifier: Apache-2.0
// What starting a process needs of the C library and Swift's view of it leaves out.
#pragma once

#include <spawn.h>

/// A file in memory that has no name elsewhere and is closed in a program that is started; -1 with errno where there
/// can be none.
int transfer_anonymous_file(const char *name);

/// Has the started program begin without open files from that number on.
int transfer_close_from(posix_spawn_file_actions_t *actions, int first);

/// Of posix_spawnattr_setflags: the started program leads a session of its own, so that what ends its parent's terminal or
/// group does not end it.
short transfer_own_session_flag(void);

/// The most open files that go with one call of the following two.
enum { TRANSFER_MOST_FILES = 250 };

/// Sends bytes over a socket, and open files with the first of them; the count of the bytes sent, or -1 with errno. A
/// socket without another end is an error, not a signal.
long transfer_send_files(int socket, const void *bytes, unsigned long count, const int *files, unsigned int number);

/// Receives bytes, and the open files that come with them, which a started program does not get; the count of the bytes,
/// or -1 with errno. `files` has room for TRANSFER_MOST_FILES; `is_cut` becomes 1 where this process could not take them all.
long transfer_receive_files(
    int socket, void *bytes, unsigned long room, int *files, unsigned int *number, int *is_cut);

/// Bounds the pools of the C library's allocator: each keeps what was freed in it, and by default there are eight a core.
void transfer_limit_memory_pools(int count);

/// pidfd_open(2): a descriptor that stands for that process, closed in programs that are started; -1 with errno where there
/// is no such process.
int transfer_open_process(int process);
