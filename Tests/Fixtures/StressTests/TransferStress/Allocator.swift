// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The settings of this process's C allocator. The process also contains the server and its files.
enum Allocator {
    /// The environment variables that limit the memory kept back by the allocator.
    ///
    /// By default, the mmap threshold rises to the size of the largest freed block, here a file, and each thread gets
    /// an arena. The memory kept back grows for minutes, longer on a busy machine, and resembles a leak.
    private static let settings = ["MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072"]

    /// Restarts this program with the settings, so that its memory use reflects the live allocations.
    ///
    /// The C library reads the settings before `main`. Workers do not inherit them.
    static func keepNothingBack() {
        let areSet = settings.keys.allSatisfy { getenv($0) != nil }
        for (name, value) in settings {
            if areSet { unsetenv(name) } else { setenv(name, value, 1) }
        }
        guard !areSet else { return }
        execv("/proc/self/exe", CommandLine.unsafeArgv)
        perror("TransferStress: cannot restart with other allocator settings; memory may appear to grow")
    }
}
