// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LinuxKernel
package import TransferModel

/// A failed file system call.
package struct FileFailure: Error, Hashable, Codable {
    package var code: Int32
    /// The attempted action: a verb phrase such as `open` in "Could not open /path".
    package var action: String
    package var path: String
    /// The number of bytes that may still be written. Set only if the failure is a lack of space and the available
    /// space was determined.
    package var available: Int64?
    /// A sentence without its period that tells more than the code, or `nil`.
    package var detail: String?

    private enum CodingKeys: String, CodingKey {
        case code
        case action = "doing"
        case path
        case available
        case detail
    }

    package init(_ action: String, _ path: String, code: Int32 = errno) {
        self.code = code
        self.action = action
        self.path = path
    }

    /// Creates the failure of a folder that only this user may be able to change.
    package init(_ fault: PathFault, of folder: String) {
        self.init("use the folder", folder, code: fault.code)
        detail = "\(fault)"
    }

    /// A Boolean value that indicates whether the failure is a lack of space.
    package var isStorageLow: Bool { code == ENOSPC || code == EDQUOT }

    /// A Boolean value that indicates whether the failure concerns the copy next to a destination on another file
    /// system.
    package var isCopy: Bool { path.hasSuffix(".copy") }

    /// The failure for the user, including a remedy.
    package var failure: TransferFailure {
        // For a lock, strerror returns "temporarily unavailable resource", which does not help the user.
        let reason =
            switch code {
            case _ where detail != nil: detail ?? ""
            case EWOULDBLOCK: "It is in use"
            case ESTALE: "It is not the folder that was chosen"
            case EHOSTDOWN, ENOTCONN: "The service that provides it is not running"
            default: String(cString: strerror(code))
            }
        return TransferFailure(cause: cause, message: "Could not \(action) \(path): \(reason). \(remedy)")
    }

    private var cause: FailureCause {
        switch code {
        // The document portal or a file server may become available again.
        case EHOSTDOWN, ENOTCONN: .folderUnavailable
        case EWOULDBLOCK: .fileInUse
        default: .destination
        }
    }

    private var remedy: String {
        switch code {
        case EWOULDBLOCK: "Another process is writing it. Wait for the process, or stop it."
        case EHOSTDOWN, ENOTCONN: "Start the service, or choose another folder."
        case ESTALE: "Another folder has replaced it. Choose the folder again."
        case EACCES, EPERM: "Choose another folder or change its permissions."
        case EROFS: "The file system is read-only. Choose another folder."
        case ENAMETOOLONG: "Choose a shorter name."
        case ENOTDIR: "A part of the path is a file. Choose another folder."
        case ENOTSUP: "A device, pipe, or socket has this name. Choose another name."
        case EISDIR: "A folder has this name. Choose another name."
        case ELOOP: "A symbolic link has this name and is not followed. Remove the link, or choose another name."
        case EEXIST: "Remove the file, choose another name, or allow overwriting or renaming."
        case ENOENT: "Create the folder, or choose another folder."
        case EIO: "The disk reports an error."
        case EFBIG: "The file system does not support files of that size."
        default: "Choose another destination."
        }
    }
}

/// Calls `body` until it is not interrupted. Throws a `FileFailure` if it fails.
@discardableResult
package func calling(_ action: String, _ path: String, _ body: () -> Int) throws(FileFailure) -> Int {
    while true {
        let result = body()
        if result >= 0 { return result }
        if errno != EINTR { throw FileFailure(action, path) }
    }
}

extension TransferFailure {
    /// Returns the failure of a transfer that was started twice.
    package static func alreadyRunning(_ id: TransferID) -> TransferFailure {
        let message = "Transfer \(id) was started while an earlier attempt of it was still running."
        return TransferFailure(cause: .executorLost, message: message)
    }
}
