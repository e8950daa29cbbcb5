// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A temporary folder for a single test. Removed when the last reference is released.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array((NSTemporaryDirectory() + "transfer-test-XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { throw FixtureError("cannot create a temporary folder") }
        path = String(cString: made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
