// SPDX-License-Identifier: Apache-2.0
import CLinuxFiles
import Glibc

/// The calls on a partial file of which a test must be able to say how they end.
struct FileCalls: Sendable {
    /// Makes what was written durable, on demand with mode and time.
    var sync: @Sendable (Int32, Bool) -> Int32 = { $1 ? fsync($0) : fdatasync($0) }
    /// Takes room for so many bytes from an offset on.
    var reserve: @Sendable (Int32, Int64, Int64) -> Int32 = { linux_reserve($0, $1, $2) }
}
