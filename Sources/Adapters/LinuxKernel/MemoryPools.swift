// SPDX-License-Identifier: Apache-2.0
import CProcess

/// The memory pools (arenas) of the C library's allocator.
package enum MemoryPools {
    /// Limits the number of pools of this process. Call before the process starts a second thread.
    ///
    /// Each pool keeps its freed memory for its own threads, and the default maximum is eight pools per core. After a
    /// few busy minutes, half of a daemon's memory was free but not returned to the system.
    package static func limit(to count: Int) { transfer_limit_memory_pools(Int32(clamping: count)) }

    /// Returns the freed memory of all pools to the system, after work that needed unusually much.
    package static func trim() { transfer_return_memory() }
}
