// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Conversion of paths that the user gives.
package enum PathName {
    /// Returns an absolute path without `.` and `..`.
    ///
    /// - Throws: `UsageError` if the current folder is gone, or if its name is not UTF-8 text.
    package static func absolute(_ path: String) throws -> String {
        let fullPath = path.hasPrefix("/") ? path : try currentFolder() + "/" + path
        return URL(fileURLWithPath: fullPath).standardizedFileURL.path
    }

    private static func currentFolder() throws -> String {
        guard let pointer = getcwd(nil, 0) else {
            throw UsageError(
                "cannot determine the current folder (\(String(cString: strerror(errno)))); change to another folder")
        }
        defer { free(pointer) }
        guard let path = String(validatingCString: pointer) else {
            throw UsageError("the path of the current folder is not UTF-8 text; change to another folder")
        }
        return path
    }
}
