// SPDX-License-Identifier: Apache-2.0
import Glibc
import LinuxKernel

/// The program that runs as a worker process.
public enum WorkerProgram: Hashable, Sendable, CustomStringConvertible {
    /// This program itself. Its `main` calls `TransferWorker.runIfCalled()` before anything else.
    case thisProgram
    /// The program at a path: `transfer-worker`, or a program whose `main` does the same.
    case at(path: String)

    /// The argument that turns a program into a worker.
    package static let argument = "--transfer-worker"
    /// The name of the worker program beside an embedding program.
    static let name = "transfer-worker"

    /// Returns the worker program.
    ///
    /// If `setting` is `nil`, searches for `transfer-worker` beside this executable and in
    /// `../libexec/background-transfer`.
    ///
    /// - Parameter setting: The path that the user or a configuration names, or `nil`.
    /// - Returns: The program, or `nil` if `setting` is `nil` and no program is found.
    /// - Throws: `WorkerError` if the file at `setting` cannot be run.
    public static func find(setting: String? = nil) throws(WorkerError) -> WorkerProgram? {
        if let setting {
            guard SiblingProgram.isExecutable(setting) else {
                throw WorkerError("The worker program \(setting) cannot be run: \(String(cString: strerror(errno))).")
            }
            return .at(path: setting)
        }
        return SiblingProgram.path(of: name).map { .at(path: $0) }
    }

    /// The path of the program, for display.
    public var description: String {
        switch self {
        case .thisProgram: "/proc/self/exe"
        case .at(let path): path
        }
    }
}

/// An error that prevents the start of a worker process.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A message of one or two sentences for the user.
    public var description: String

    /// Creates an error with the given message.
    public init(_ description: String) { self.description = description }
}
