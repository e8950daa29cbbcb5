// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import LinuxConditions
import LinuxKernel
import ToolSupport

/// The `transferctl conditions set` command, which sets a condition of the user.
struct ConditionsSetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set one of your own conditions, for everything that requires it.",
        discussion: """
            The condition is defined in config.toml, without a source:

              [condition.call]
              values = ["yes", "no"]

            'transferctl get --when call=no …' then waits while 'transferctl conditions set call yes' applies. The daemon \
            and all other commands follow the value, which lasts until it is set again. Without a value, the condition is \
            unknown again.

            Exit status: 0 success, 1 the value could not be saved, 2 wrong usage.
            """)

    @Argument(help: "The name of the condition, or the name and the value as in 'call=yes'.")
    var name: String

    @Argument(help: "One of its values. Leave it out to make the condition unknown.")
    var value: String?

    /// The name and the value, which may be one argument, as in `--when`.
    var setting: (name: String, value: String?) {
        let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && value == nil ? (parts[0], parts[1]) : (name, value)
    }

    func run() throws {
        let (name, value) = setting
        let source = try OwnConditions.definition(
            of: name, with: value.map { [$0] } ?? [], in: OwnConditions.defined())
        let path = try OwnConditions.valuePath(of: name)
        guard source.origin == .setting(path) else {
            throw UsageError("the condition '\(name)' has a source in config.toml and cannot be set; remove the source")
        }
        let folder = (path as NSString).deletingLastPathComponent
        try PrivateFolder.make(folder, called: "the folder for values of conditions", remedy: "set XDG_STATE_HOME")
        do {
            if let value {
                try Data("\(value)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            } else if FileManager.default.fileExists(atPath: path) {
                try FileManager.default.removeItem(atPath: path)
            }
        } catch {
            Console.error("transferctl: cannot save the value in \(path): \(error.localizedDescription)")
            throw ExitStatus.failed.code
        }
    }
}
