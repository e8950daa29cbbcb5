// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The file of a worker program, kept open: an upgrade that puts another file in its place, or removes it, changes nothing
/// for this process, whose workers must be of its own version.
final class WorkerExecutable: Sendable {
    /// The path to start, which leads to the kept file whatever has its name by now.
    let path: String
    /// The first argument, by which `ps` shows the worker.
    let name: String
    private let descriptor: Int32

    /// Opens the program's file. A file that cannot be opened, and a script, is started by its path.
    init(_ program: WorkerProgram) {
        switch program {
        case .thisProgram:
            (descriptor, path) = (-1, "/proc/self/exe")
            name = CommandLine.arguments.first ?? WorkerProgram.name
        case .at(let file):
            let opened = open(file, O_RDONLY | O_CLOEXEC)
            descriptor = opened
            name = file
            // By the number of this process: the child has closed its copy when it executes the file. A script's
            // interpreter would open the path once more, with other files under that number.
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
