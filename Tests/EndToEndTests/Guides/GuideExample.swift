// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A block of commands in a document, with the output that the document shows.
///
/// A block is fenced by "```console", and each command begins with "$ ". All other lines are output. A line `^C` stands
/// for an interrupt that the user sends after the lines above it. Comments of HTML before the block prepare it:
///
///     <!-- Setup: printf x > report.pdf -->
///     <!-- Needs: jq -->
///     <!-- Not run: it needs a second machine -->
struct GuideExample: Sendable, CustomStringConvertible {
    struct Command: Equatable, Sendable {
        var text: String
        /// The lines of output. If there are none, the document shows no output, and any output is right.
        var output: [String] = []
        /// The number of lines of output before the user's interrupt; `nil` without an interrupt.
        var interruptAfter: Int?
    }

    /// The path of the document, from the top of the project.
    var document: String
    /// The line of the fence, from 1.
    var line: Int
    /// The commands that run before the block and are not shown.
    var setup: [String] = []
    /// The programs that the block needs besides the project's own.
    var needs: [String] = []
    /// The reason why the block cannot be run; `nil` if it can.
    var skipReason: String?
    var commands: [Command] = []

    var description: String { "\(document):\(line)" }

    /// Finds the examples in the text of a document.
    static func all(in text: String, document: String) -> [GuideExample] {
        var found: [GuideExample] = []
        var next = GuideExample(document: document, line: 0)
        var isInside = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if isInside {
                if line == "```" {
                    found.append(next)
                    next = GuideExample(document: document, line: 0)
                    isInside = false
                } else {
                    next.add(String(line))
                }
            } else if line == "```console" {
                next.line = index + 1
                isInside = true
            } else if let (kind, value) = directive(line) {
                switch kind {
                case "Setup": next.setup.append(value)
                case "Needs": next.needs += value.split(separator: " ").map(String.init)
                case "Not run": next.skipReason = value
                default: break
                }
            }
        }
        return found
    }

    private mutating func add(_ line: String) {
        if line.hasPrefix("$ ") {
            commands.append(Command(text: String(line.dropFirst(2))))
        } else if let last = commands.indices.last {
            if line == "^C" {
                commands[last].interruptAfter = commands[last].output.count
            } else {
                commands[last].output.append(line)
            }
        }
    }

    private static func directive(_ line: Substring) -> (kind: String, value: String)? {
        guard line.hasPrefix("<!-- "), line.hasSuffix(" -->"), let colon = line.firstIndex(of: ":") else { return nil }
        let kind = line[..<colon].dropFirst(5)
        return (String(kind), line[line.index(after: colon)...].dropLast(4).trimmingCharacters(in: .whitespaces))
    }
}
