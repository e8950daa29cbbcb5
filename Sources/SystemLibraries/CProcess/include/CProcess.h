// SPDX-License-Identifier: Apache-2.0
// Functions for starting and using processes that Swift's view of the C library lacks.
#pragma once

#include "CCommand.h"

#include <spawn.h>
#include <sys/xattr.h>

/// Creates an anonymous file in memory, which is closed in programs that this process starts. Returns -1 with errno on
/// failure.
int transfer_anonymous_file(const char *name);

/// Makes the started program begin without open files from the number `first` on.
int transfer_close_from(posix_spawn_file_actions_t *actions, int first);

/// Returns the flag for posix_spawnattr_setflags that makes the started program lead a new session. Signals to its
/// parent's terminal or group then do not reach the program.
short transfer_own_session_flag(void);

/// The maximum number of open files in one call of the following two functions.
enum { TRANSFER_MOST_FILES = 250 };

/// Sends bytes over a socket, and open files together with the first byte. Returns the number of bytes sent, or -1
/// with errno. A socket whose other end is closed causes an error, not a signal.
long transfer_send_files(
    int socket, const void *bytes, unsigned long count, const int *files, unsigned int number, int waits);

/// Receives bytes, and the open files that were sent with them. Programs that this process starts do not inherit the
/// files. Returns the number of bytes, or -1 with errno. `files` must have room for TRANSFER_MOST_FILES. `is_cut` is
/// set to 1 if this process could not receive all files.
long transfer_receive_files(
    int socket, void *bytes, unsigned long room, int *files, unsigned int *number, int *is_cut);

/// Limits the number of pools (arenas) of the C library's allocator. Each pool keeps its freed memory, and the default
/// maximum is eight pools per core.
void transfer_limit_memory_pools(int count);

/// Returns the freed memory of all pools to the system.
void transfer_return_memory(void);

/// Calls pidfd_open(2). Returns a descriptor that refers to the process, and that is closed in programs that this
/// process starts. Returns -1 with errno if the process does not exist.
int transfer_open_process(int process);

/// Has all open files except the standard ones closed when this process continues as another program.
void transfer_close_on_exec(void);

/// Returns the path with which this program was executed, or NULL. The kernel passes it beside the arguments.
const char *transfer_executed_path(void);
