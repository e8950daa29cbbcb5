// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CConfinement.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The complete kernel interface (linux/landlock.h), because the headers of Debian 12 only contain version 2.
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };
enum { version_flag = 1, path_beneath = 1 };

struct ruleset {
    uint64_t files;
    uint64_t network;
    uint64_t scoped;
};

struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

#define BIT(number) (UINT64_C(1) << (number))

static const uint64_t execute = BIT(0), write_file = BIT(1), read_file = BIT(2), read_folder = BIT(3);
static const uint64_t first_version = BIT(13) - 1, refer = BIT(13), truncate_file = BIT(14), device_control = BIT(15);
static const uint64_t scope_abstract_sockets = BIT(0), scope_signals = BIT(1);

int transfer_confine_privileges(void) {
    // Without capabilities, root is the owner of its files only, and sees no other process's environment or memory.
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    if (syscall(SYS_capset, &header, none) != 0) return -1;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int transfer_confine_memory(void) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

int transfer_landlock_version(void) {
    long version = syscall(create_ruleset, NULL, 0, version_flag);
    return version > 0 ? (int)version : 0;
}

static uint64_t handled(int version) {
    return first_version | (version >= 2 ? refer : 0) | (version >= 3 ? truncate_file : 0) |
           (version >= 5 ? device_control : 0);
}

int transfer_landlock_begin(int version) {
    struct ruleset rules = {.files = handled(version)};
    if (version >= 6) rules.scoped = scope_abstract_sockets | scope_signals;
    return (int)syscall(create_ruleset, &rules, sizeof rules, 0);
}

int transfer_landlock_allow(int rules, const char *path, int access, int version) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT || errno == ENOTDIR || errno == EACCES ? 0 : -1;
    struct stat status;
    int result = fstat(descriptor, &status);
    if (result == 0) {
        uint64_t allowed = 0;
        if (access & TRANSFER_ACCESS_READ) allowed |= read_file | (S_ISDIR(status.st_mode) ? read_folder : 0);
        if (access & TRANSFER_ACCESS_WRITE) {
            allowed |= write_file | truncate_file;
            // Creating regular files in a folder.
            if (S_ISDIR(status.st_mode)) allowed |= BIT(8);
        }
        if (access & TRANSFER_ACCESS_EXECUTE) allowed |= execute;
        if (access & TRANSFER_ACCESS_FOLDERS) allowed |= BIT(7);
        struct beneath rule = {.allowed = allowed & handled(version), .parent = descriptor};
        result = (int)syscall(add_rule, rules, path_beneath, &rule, 0);
    }
    int code = errno;
    close(descriptor);
    errno = code;
    return result;
}

int transfer_landlock_enforce(int rules) {
    int result = (int)syscall(restrict_self, rules, 0);
    int code = errno;
    close(rules);
    errno = code;
    return result;
}
