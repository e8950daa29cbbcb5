// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The file of a worker program, kept open by this process.
///
/// An upgrade that replaces or removes the file has no effect on this process. All workers must be of this process's
/// own version.
final class WorkerExecutable: Sendable {
    /// The path to execute. Leads to the open file, whatever file has its name now.
    let path: String
    /// The first argument, which `ps` displays.
    let name: String
    private let descriptor: Int32

    /// Opens the file of the program. A script, or a file that cannot be opened, is started by its path.
    init(_ program: WorkerProgram) {
        switch program {
        case .thisProgram:
            (descriptor, path) = (-1, "/proc/self/exe")
            name = CommandLine.arguments.first ?? WorkerProgram.name
        case .at(let file):
            let opened = open(file, O_RDONLY | O_CLOEXEC)
            descriptor = opened
            name = file
            // The path uses the number of this process, because the child has closed its copy by the time it executes
            // the file. The interpreter of a script would open the path again, and that number would refer to another
            // file.
            path = Self.isBinary(opened) ? "/proc/\(getpid())/fd/\(opened)" : file
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    private static func isBinary(_ descriptor: Int32) -> Bool {
        var start = [UInt8](repeating: 0, count: 4)
        return pread(descriptor, &start, start.count, 0) == start.count && start == [0x7F] + Array("ELF".utf8)
    }
}
