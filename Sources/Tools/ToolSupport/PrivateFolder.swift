// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Makes folders that only their owner can look into.
package enum PrivateFolder {
    /// Makes `path`, which is absolute, and what is missing above it.
    ///
    /// - Parameters:
    ///   - what: how the folder is called in an error.
    ///   - remedy: what would help.
    /// - Throws: `UsageError` that names the part that could not be made, and why.
    package static func make(
        _ path: String, called what: String = "the state folder", remedy: String = "give another --state-dir"
    ) throws {
        func error(at part: String, _ code: Int32) -> UsageError {
            let place = part == path ? "" : " at \(part)"
            return UsageError("\(what) \(path) cannot be made (\(String(cString: strerror(code)))\(place)); \(remedy)")
        }
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            var status = stat()
            if stat(made, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else { throw error(at: made, ENOTDIR) }
                continue
            }
            // Another process may have made it since.
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw error(at: made, errno) }
        }
    }
}
