// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc

extension ChildProgram {
    /// Runs a program of `PATH` to its end, and returns how it ended and what it printed to both of its outputs.
    ///
    /// For programs that print little. Blocks until the program ends.
    ///
    /// ```swift
    /// let (end, text) = try ChildProgram.capture(["systemctl", "show", "-P", "Id", unit], environment: variables)
    /// ```
    ///
    /// - Parameters:
    ///   - words: The program and its arguments. Not empty.
    ///   - environment: The environment of the program.
    /// - Throws: `StartError` if the system starts no process.
    package static func capture(
        _ words: [String], environment: [String: String]
    ) throws(StartError) -> (end: End?, text: String) {
        var pipe: [Int32] = [0, 0]
        guard transfer_pipe(&pipe) == 0 else { throw StartError(code: errno) }
        defer { close(pipe[0]) }
        var child = ChildProgram("/usr/bin/env", ["env"] + words, environment: environment)
        (child.output, child.errors) = (.file(pipe[1]), .file(pipe[1]))
        let process: Int32
        do { process = try child.start() } catch {
            close(pipe[1])
            throw error
        }
        close(pipe[1])
        var all: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(pipe[0], &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            all += bytes.prefix(count)
        }
        return (collect(process), String(decoding: all, as: UTF8.self))
    }
}
