// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import ToolSupport
import TransferModel

/// The folder beneath which callers may put files.
///
/// Paths from callers are opened relative to the folder, one part after the other. No part may be `..` or a symbolic link.
struct DownloadFolder: Sendable {
    /// The absolute path of the folder, without symbolic links.
    let path: String

    /// Opens the folder, and makes it if it is missing.
    ///
    /// - Throws: `RPCFault` that names the folder and the system's error.
    init(_ path: String) throws(RPCFault) {
        if mkdir(path, 0o755) != 0, errno != EEXIST {
            throw RPCFault("cannot make the folder \(path): \(String(cString: strerror(errno)))")
        }
        guard let resolved = realpath(path, nil) else {
            throw RPCFault("cannot use the folder \(path): \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Returns the absolute path of a folder for a download, and makes the folders that are missing.
    ///
    /// - Parameters:
    ///   - directory: The caller's folder: relative to this folder, or an absolute path beneath it. `nil` for this folder.
    ///   - subfolders: The parts of the caller's file name that name folders.
    /// - Throws: `RPCFault` if the folder is not beneath this folder, or cannot be made.
    func folder(_ directory: String?, subfolders: [Substring] = []) throws(RPCFault) -> String {
        let parts = try relativeParts(directory ?? "") + subfolders
        guard parts.count <= 32 else { throw RPCFault("'dir' and 'out' name more than 32 folders") }
        let root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard root >= 0 else {
            throw RPCFault("cannot use the folder \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(root) }
        let place = parts.joined(separator: "/")
        do {
            let contents = FolderContents(descriptor: root, path: path)
            try contents.makeFolder(place, mode: 0o755)
            let folder = try contents.open(place, O_RDONLY | O_DIRECTORY)
            defer { close(folder) }
            return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(folder)")
        } catch {
            throw RPCFault("cannot use the folder \(error)")
        }
    }

    /// Returns the parts of a caller's path below this folder.
    private func relativeParts(_ directory: String) throws(RPCFault) -> [Substring] {
        var rest = directory[...]
        if rest.hasPrefix("/") {
            guard directory == path || directory.hasPrefix(path + "/") else {
                throw RPCFault(
                    "'dir' is '\(directory.prefix(200))', which is not beneath \(path), the 'directory' of [rpc] in "
                        + "config.toml")
            }
            rest = rest.dropFirst(path.count)
        }
        return try Self.parts(of: rest, "dir")
    }

    /// Returns the parts of a relative path from a caller.
    ///
    /// - Parameter option: The option that names the path, for error messages.
    static func parts(of path: Substring, _ option: String) throws(RPCFault) -> [Substring] {
        let parts = path.split(separator: "/").filter { $0 != "." }
        for part in parts {
            guard part != ".." else { throw RPCFault("'\(option)' may not contain '..'") }
            if let fault = part.fileNameFault {
                throw RPCFault("'\(option)': '\(String(part.prefix(200)).printable)' \(fault); use another name")
            }
        }
        return parts
    }
}
