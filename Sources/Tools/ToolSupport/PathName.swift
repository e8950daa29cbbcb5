// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Paths as people write them.
package enum PathName {
    /// The path made absolute and free of `.` and `..`.
    ///
    /// - Throws: `UsageError` when the current folder is gone, or its name cannot be written as text.
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
