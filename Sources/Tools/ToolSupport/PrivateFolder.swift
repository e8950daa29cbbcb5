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

    /// Creates the folder at `path`, whose parent exists, or proves that nobody else has made it or can change it.
    ///
    /// In a folder that others can write to, another user can make any folder first.
    ///
    /// - Throws: `UsageError` that names the folder, and what is wrong with it.
    package static func claim(_ path: String) throws {
        func refuse(_ fault: String) -> UsageError {
            UsageError("cannot use the folder '\(path.printable)': \(fault)")
        }
        guard mkdir(path, 0o700) != 0 else { return }
        guard errno == EEXIST else { throw refuse(String(cString: strerror(errno))) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw refuse(String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw refuse("it is no folder; remove it") }
        guard status.st_uid == geteuid() else {
            throw refuse("it belongs to another user; use a place where only you can write")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw refuse("others may have changed its content; remove it, or make it private by 'chmod 700'")
        }
    }
}
