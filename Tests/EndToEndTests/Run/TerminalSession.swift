// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An interactive shell on a terminal, with job control.
final class TerminalSession: Sendable {
    let terminal: PseudoTerminal
    private let shell: ChildProcess

    /// Starts a shell whose prompt is `READY> `, in a program's folder.
    init(_ program: Transferctl) throws {
        terminal = try PseudoTerminal()
        let script =
            "exec setsid --ctty --wait /bin/bash --norc --noprofile -i <\(terminal.path) >\(terminal.path) 2>&1"
        let folder = URL(fileURLWithPath: Transferctl.path).deletingLastPathComponent().path
        let environment = ["PS1": "READY> ", "TERM": "dumb", "PATH": "\(folder):/usr/bin:/bin"]
        shell = try ChildProcess(
            "/bin/sh", ["-c", script], environment: program.environment.merging(environment) { $1 },
            output: program.folder.path + "/session.log", directory: program.downloads)
        try awaitText("READY> ")
        terminal.type("PS1='READY> '; stty -echo\n")
        try waitUntil("the shell is ready", within: 20) { terminal.output.hasSuffix("READY> ") }
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
    func awaitText(_ text: String, after position: Int = 0, within seconds: Double = 30) throws {
        do {
            try waitUntil("'\(text)' on the terminal", within: seconds) {
                terminal.output.dropFirst(position).contains(text)
            }
        } catch { throw TestSetupError("\(error)\n\(terminal.output.suffix(2000))") }
    }

    func end() { shell.end() }
}
