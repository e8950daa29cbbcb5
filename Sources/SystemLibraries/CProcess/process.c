// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CProcess.h"

#include <malloc.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <unistd.h>

int transfer_anonymous_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int transfer_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

short transfer_own_session_flag(void) { return POSIX_SPAWN_SETSID; }

long transfer_send_files(
    int socket, const void *bytes, unsigned long count, const int *files, unsigned int number, int waits) {
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int) * TRANSFER_MOST_FILES)];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (number > TRANSFER_MOST_FILES) number = TRANSFER_MOST_FILES;
    if (number > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * number);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * number);
        memcpy(CMSG_DATA(header), files, sizeof(int) * number);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT));
}

long transfer_receive_files(
    int socket, void *bytes, unsigned long room, int *files, unsigned int *number, int *is_cut) {
    struct iovec part = {.iov_base = bytes, .iov_len = room};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int) * TRANSFER_MOST_FILES)];
    } control;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof control.room};
    *number = 0;
    *is_cut = 0;
    long count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0) return count;
    *is_cut = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        unsigned int found = (unsigned int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        if (found > TRANSFER_MOST_FILES - *number) found = TRANSFER_MOST_FILES - *number;
        memcpy(files + *number, CMSG_DATA(header), found * sizeof(int));
        *number += found;
    }
    return count;
}

void transfer_limit_memory_pools(int count) { mallopt(M_ARENA_MAX, count); }

void transfer_return_memory(void) { malloc_trim(0); }

int transfer_open_process(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

void transfer_close_on_exec(void) {
    // Before Linux 5.11, there is no such call. Every file was opened with the flag anyway.
    close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
}

const char *transfer_executed_path(void) { return (const char *)getauxval(AT_EXECFN); }
