// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

/// The file that this process executes.
package enum OwnExecutable {
    /// The path of the file, from the kernel and not from the first argument, which a caller chooses.
    ///
    /// If the file was replaced or removed, this is the path that it had. Without `/proc`, this is the path that was
    /// executed, which may lead through symbolic links.
    package static let path: String = {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &target, target.count)
        guard length > 0 else { return transfer_executed_path().map { String(cString: $0) } ?? "" }
        return withoutMark(String(decoding: target.prefix(length), as: UTF8.self))
    }()

    /// Returns a target of `/proc/PID/exe` without the mark with which the kernel tells that the file was replaced or
    /// removed.
    package static func withoutMark(_ target: String) -> String {
        let mark = " (deleted)"
        return target.hasSuffix(mark) ? String(target.dropLast(mark.count)) : target
    }
}
