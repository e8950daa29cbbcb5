// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Makes folders that only their owner can look into.
enum PrivateFolder {
    /// Makes `path`, which is absolute, and what is missing above it.
    ///
    /// - Throws: `UsageError` that names the part that could not be made, and why.
    static func make(_ path: String) throws {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            var status = stat()
            if stat(made, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else { throw error(path, at: made, ENOTDIR) }
                continue
            }
            // Another process may have made it since.
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw error(path, at: made, errno) }
        }
    }

    private static func error(_ path: String, at part: String, _ code: Int32) -> UsageError {
        let place = part == path ? "" : " at \(part)"
        return UsageError(
            "the state folder \(path) cannot be made (\(String(cString: strerror(code)))\(place)); "
                + "give another --state-dir")
    }
}
