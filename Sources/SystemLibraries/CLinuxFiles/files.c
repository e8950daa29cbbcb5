// SPDX-License-Identifier: Apache-2.0
#include "CLinuxFiles.h"

#include <fcntl.h>

int linux_open_folder_beneath(int folder, const char *path) {
    struct { unsigned long long flags, mode, resolve; } how = {
        .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .mode = 0,
        .resolve = 0x02 /* RESOLVE_NO_MAGICLINKS */ | 0x08 /* RESOLVE_BENEATH */,
    };
    return (int)syscall(437 /* openat2 */, folder, path, &how, sizeof how);
}
