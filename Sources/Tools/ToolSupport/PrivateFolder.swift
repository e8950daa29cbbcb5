// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Creation of folders that only their owner can read.
package enum PrivateFolder {
    /// Creates the folder at `path`, which is absolute, and its missing parents.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder.
    ///   - what: The name of the folder in an error message.
    ///   - remedy: The remedy in an error message.
    /// - Throws: `UsageError` that names the folder that could not be created, and the reason.
    package static func make(
        _ path: String, called what: String = "the state folder", remedy: String = "use another --state-dir"
    ) throws {
        func error(at component: String, _ code: Int32) -> UsageError {
            let location = component == path ? "" : " at \(component)"
            return UsageError(
                "cannot create \(what) \(path) (\(String(cString: strerror(code)))\(location)); \(remedy)")
        }
        var currentPath = ""
        for component in path.split(separator: "/") {
            currentPath += "/" + component
            var status = stat()
            if stat(currentPath, &status) == 0 {
                guard status.st_mode & S_IFMT == S_IFDIR else { throw error(at: currentPath, ENOTDIR) }
                continue
            }
            // Another process may have created the folder since the check.
            guard mkdir(currentPath, 0o700) == 0 || errno == EEXIST else { throw error(at: currentPath, errno) }
        }
    }
}
