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

/// pidfd_open(2): a descriptor that stands for that process, closed in programs that are started; -1 with errno where there
/// is no such process.
int transfer_open_process(int process);
