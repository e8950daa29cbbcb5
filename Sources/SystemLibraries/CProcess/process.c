// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CProcess.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int transfer_anonymous_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int transfer_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

short transfer_own_session_flag(void) { return POSIX_SPAWN_SETSID; }

int transfer_open_process(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }
