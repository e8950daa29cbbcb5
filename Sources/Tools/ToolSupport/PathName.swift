// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Conversion of paths that the user gives.
package enum PathName {
    /// Returns an absolute path without `.` and `..`.
    ///
    /// - Throws: `UsageError` if the current folder is gone, or if its name is not UTF-8 text.
    package static func absolute(_ path: String) throws -> String {
        let whole = path.hasPrefix("/") ? path : try currentFolder() + "/" + path
        return URL(fileURLWithPath: whole).standardizedFileURL.path
    }

    private static func currentFolder() throws -> String {
        guard let pointer = getcwd(nil, 0) else {
            throw UsageError(
                "the current folder cannot be told (\(String(cString: strerror(errno)))); change to another")
        }
        defer { free(pointer) }
        guard let path = String(validatingCString: pointer) else {
            throw UsageError("the current folder's name is not UTF-8 text; change to another")
        }
        return path
    }
}
