// SPDX-License-Identifier: Apache-2.0
import Logging
import Synchronization

/// Warns about file systems that cannot sync, once per file system in the lifetime of the process.
package enum UnsyncedVolumes {
    private static let reported = Mutex<Set<UInt64>>([])

    /// Logs a warning unless the device was reported before. Returns whether a warning was logged.
    @discardableResult
    package static func warn(path: String, device: UInt64) -> Bool {
        guard reported.withLock({ $0.insert(device).inserted }) else { return false }
        Logger(label: "transfer.files").warning(
            "the file system does not support sync; written data may be lost in a power failure",
            metadata: ["path": "\(path)"])
        return true
    }
}
