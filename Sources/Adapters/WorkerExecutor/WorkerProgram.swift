// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Which program is run as a worker process.
public enum WorkerProgram: Hashable, Sendable, CustomStringConvertible {
    /// This program once more: its `main` calls ``TransferWorker/runIfCalled()`` before anything else.
    case thisProgram
    /// The program at that path: `transfer-worker`, or one whose `main` does the same.
    case at(path: String)

    /// The argument that makes a program a worker.
    package static let argument = "--transfer-worker"
    /// The worker program's name beside an embedding one.
    static let name = "transfer-worker"

    /// Looks for a worker program: the one that `setting` names, else `transfer-worker` beside this executable or in
    /// `../libexec/background-transfer`; nil where there is none.
    ///
    /// - Parameter setting: a path that a person or a configuration names; nil where none does.
    /// - Throws: `WorkerError` where `setting` names nothing that can be run.
    public static func find(setting: String? = nil) throws(WorkerError) -> WorkerProgram? {
        if let setting {
            guard isExecutable(setting) else {
                throw WorkerError("The worker program \(setting) cannot be run: \(String(cString: strerror(errno))).")
            }
            return .at(path: setting)
        }
        guard let executable = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(executable) }
        let path = String(cString: executable)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        return ["\(folder)/\(name)", "\(folder)/../libexec/background-transfer/\(name)"].first(where: isExecutable)
            .map { .at(path: $0) }
    }

    /// The path for people.
    public var description: String {
        switch self {
        case .thisProgram: "/proc/self/exe"
        case .at(let path): path
        }
    }

    private static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else {
            errno = EACCES
            return false
        }
        return access(path, X_OK) == 0
    }
}

/// Why there is no worker process.
public struct WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One or two sentences for people.
    public var description: String

    /// An error in those words.
    public init(_ description: String) { self.description = description }
}
