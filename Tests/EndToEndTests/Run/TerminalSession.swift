// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// An interactive shell on a terminal, with job control.
final class TerminalSession: Sendable {
    let terminal: PseudoTerminal
    private let shell: ChildProcess

    /// Starts a shell whose prompt is `READY> `, in a program's folder.
    init(_ program: Transferctl) async throws {
        terminal = try PseudoTerminal()
        let script =
            "exec setsid --ctty --wait /bin/bash --norc --noprofile -i <\(terminal.path) >\(terminal.path) 2>&1"
        let folder = builtFolder
        let environment = ["PS1": "READY> ", "TERM": "dumb", "PATH": "\(folder):/usr/bin:/bin"]
        shell = try ChildProcess(
            "/bin/sh", ["-c", script], environment: program.environment.merging(environment) { $1 },
            output: program.folder.path + "/session.log", directory: program.downloads)
        try await awaitText("READY> ")
        terminal.type("PS1='READY> '; stty -echo\n")
        try await terminal.waitUntil("the shell is ready") { $0.hasSuffix("READY> ") }
    }

    /// The number of characters on the terminal so far, to find later output.
    var position: Int { terminal.output.count }

    /// Types a line.
    func type(line: String) { terminal.type(line + "\n") }

    /// Types a control character, such as `C` for Ctrl-C.
    func typeControl(_ letter: Character) {
        terminal.type(String(UnicodeScalar(letter.asciiValue.map { $0 & 0x1F } ?? 0)))
    }

    /// Waits until a text appears after a position.
    func awaitText(_ text: String, after position: Int = 0, within seconds: Double = 30) async throws {
        try await terminal.waitUntil("'\(text)' on the terminal", within: seconds) {
            $0.dropFirst(position).contains(text)
        }
    }

    func end() { shell.end() }
}
