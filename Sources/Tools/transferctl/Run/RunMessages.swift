// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// The messages of `transferctl run` on standard error.
struct RunMessages {
    /// The first word of the command, or the name of the unit.
    let name: String
    let isQuiet: Bool
    let isVerbose: Bool
    /// Called with each message about the command, besides printing it.
    var onMessage: (@Sendable (String) -> Void)?

    /// Prints a message about the command.
    func show(_ text: String) {
        if !isQuiet { Console.error("\(name): \(text)".printable) }
        onMessage?(text)
    }

    /// Prints a message that only `--verbose` requests.
    func showDetail(_ text: String) { if isVerbose { show(text) } }

    /// Prints an error.
    func showError(_ text: String) { Console.error("transferctl: \(text)".printable) }
}
