// SPDX-License-Identifier: Apache-2.0
import CProcess

/// The pools from which the C library gives memory to threads.
package enum MemoryPools {
    /// Bounds the number of pools of this process. Call it before the process has a second thread.
    ///
    /// Each pool keeps what was freed in it for its own threads, and by default there are eight for each core: after busy
    /// minutes half of a daemon's memory was free and not given back.
    package static func limit(to count: Int) { transfer_limit_memory_pools(Int32(clamping: count)) }
}
