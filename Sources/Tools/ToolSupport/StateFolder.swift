// SPDX-License-Identifier: Apache-2.0
import Foundation
package import LinuxKernel

/// The folder for the queue, partial files and related files.
package enum StateFolder {
    /// Returns the path of the option, or by default `$XDG_STATE_HOME/transferd` or `~/.local/state/transferd`.
    package static func path(option: String?) throws -> String {
        if let option { return try PathName.absolute(option) }
        return try BaseFolder.state.path(for: "the state folder (set with --state-dir)") + "/transferd"
    }
}

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

extension PrivateFolder {
    /// Opens the folder at `path`, and makes it and its missing parents.
    ///
    /// - Parameters:
    ///   - path: The absolute path of the folder.
    ///   - what: The name of the folder in an error message.
    ///   - remedy: The remedy in an error message.
    /// - Throws: `UsageError` that names the folder and the reason why it cannot be used.
    package static func make(
        _ path: String, called what: String = "the state folder", remedy: String = "use another --state-dir"
    ) throws(UsageError) {
        do throws(PathFault) { _ = try PrivateFolder(path) } catch {
            throw UsageError("cannot use \(what) \(path.printable) (\("\(error)".printable)); \(remedy)")
        }
    }
}
