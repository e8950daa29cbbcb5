// SPDX-License-Identifier: Apache-2.0
import Logging
import Synchronization

/// Warns about file systems that cannot sync, once per file system in the lifetime of the process.
package enum UnsyncedVolumes {
    private static let told = Mutex<Set<UInt64>>([])

    /// Logs a warning unless the device was reported before. Returns whether a warning was logged.
    @discardableResult
    package static func tell(path: String, device: UInt64) -> Bool {
        guard told.withLock({ $0.insert(device).inserted }) else { return false }
        Logger(label: "transfer.files").warning(
            "the file system cannot sync: what was written may be lost when the power fails",
            metadata: ["path": "\(path)"])
        return true
    }
}
