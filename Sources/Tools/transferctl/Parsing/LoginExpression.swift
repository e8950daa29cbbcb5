// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// A parser for `--user`: `NAME:PASSWORD`, or `NAME` alone, whose password is read from the terminal.
struct LoginExpression {
    /// The parsed user name and password.
    let credential: Credential

    /// Parses `text`.
    ///
    /// - Parameter readPassword: A closure that reads the password of a user, or returns `nil` if it cannot ask.
    /// - Throws: `UsageError` that does not repeat the password.
    init(_ text: String, readPassword: (String) -> String? = PasswordPrompt.read) throws {
        let colon = text.firstIndex(of: ":")
        let user = String(text[..<(colon ?? text.endIndex)])
        guard !user.isEmpty else { throw UsageError("--user has no name; use --user NAME or --user NAME:PASSWORD") }
        guard let password = colon.map({ String(text[text.index(after: $0)...]) }) ?? readPassword(user) else {
            throw UsageError(
                "--user '\(user)' has no password, and there is no terminal to ask for it; use NAME:PASSWORD, or --netrc"
            )
        }
        guard !(user + password).unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw UsageError("the name or password of --user contains a control character; leave it out")
        }
        credential = Credential(user: user, password: password)
    }
}

/// A question for a password on the terminal, which does not show the reply.
enum PasswordPrompt {
    /// Asks for the password of a user. Returns `nil` without a terminal.
    static func read(user: String) -> String? {
        guard let terminal = fopen("/dev/tty", "r+") else { return nil }
        defer { fclose(terminal) }
        var settings = termios()
        guard tcgetattr(fileno(terminal), &settings) == 0 else { return nil }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        fputs("Password of \(user.printable): ", terminal)
        fflush(terminal)
        tcsetattr(fileno(terminal), TCSAFLUSH, &silent)
        defer {
            tcsetattr(fileno(terminal), TCSAFLUSH, &settings)
            fputs("\n", terminal)
        }
        var line: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(line) }
        guard getline(&line, &size, terminal) >= 0, let line else { return nil }
        return String(cString: line).trimmingCharacters(in: .newlines)
    }
}

/// Secrets among the arguments of this process, which every user of the machine can read while it runs.
enum ArgumentSecrets {
    /// Overwrites the values of `--user` and `-u`, after the arguments were copied.
    static func hide() {
        let arguments = CommandLine.arguments
        for (index, argument) in arguments.enumerated() {
            guard let memory = CommandLine.unsafeArgv[index] else { continue }
            if let start = secretStart(of: argument, after: index > 0 ? arguments[index - 1] : "") {
                for offset in start..<argument.utf8.count { memory[offset] = CChar(bitPattern: UInt8(ascii: "x")) }
            }
        }
    }

    /// Returns the offset of the first byte of a secret in an argument, or `nil` if the argument has none.
    static func secretStart(of argument: String, after previous: String) -> Int? {
        let isValue = previous == "--user" || previous == "-u"
        for prefix in ["--user=", "-u"] where !isValue && argument.hasPrefix(prefix) && argument != prefix {
            guard prefix != "-u" || !argument.hasPrefix("--") else { continue }
            return argument.dropFirst(prefix.count).utf8.firstIndex(of: UInt8(ascii: ":"))
                .map { argument.utf8.distance(from: argument.startIndex, to: $0) + 1 }
        }
        guard isValue, let colon = argument.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return argument.utf8.distance(from: argument.startIndex, to: colon) + 1
    }
}
