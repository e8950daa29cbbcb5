// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The C library's allocator of this process, which also holds the server and its files.
enum Allocator {
    /// By itself it raises the size from which a freed block is given back to that of the largest one, here a file's, and
    /// gives each thread an arena: what both keep back grows for minutes, more slowly on a busy machine, and looks like
    /// something that is lost.
    private static let settings = ["MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072"]

    /// Has memory be what is held, by starting this program anew: the settings are read before `main`. Workers do not get
    /// them.
    static func keepNothingBack() {
        let areSet = settings.keys.allSatisfy { getenv($0) != nil }
        for (name, value) in settings {
            if areSet { unsetenv(name) } else { setenv(name, value, 1) }
        }
        guard !areSet else { return }
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        perror("TransferSoak cannot start anew; memory may look as if it grew")
    }
}
