// SPDX-License-Identifier: Apache-2.0
import CommandRunner
import Foundation
import ToolSupport

/// The two files of a gate: the gate's own unit, and the drop-in that makes the gated unit depend on it.
struct GateFiles {
    /// The name of a gate's unit is this prefix and the name of the gated unit.
    static let prefix = "transfer-gate-"
    private static let dropInName = "50-transfer-gate.conf"
    /// The beginning of the line of a gate's file that repeats the options.
    private static let optionsPrefix = "# Options:"

    let unit: GatedUnit
    private let folder: String

    /// Creates the paths of a unit's gate.
    ///
    /// - Throws: `UsageError` if no environment variable specifies the user's folder.
    init(_ unit: GatedUnit) throws { try self.init(unit, in: Self.folder(isUser: unit.isUser)) }

    /// Creates the paths of a unit's gate in a folder.
    init(_ unit: GatedUnit, in folder: String) { (self.unit, self.folder) = (unit, folder) }

    /// Returns the folder for units that an administrator or a user installs (systemd.unit(5)).
    static func folder(isUser: Bool) throws -> String {
        isUser ? try BaseFolder.config.path(for: "the configuration folder") + "/systemd/user" : "/etc/systemd/system"
    }

    /// Returns the gate's own unit.
    static func gate(of unit: GatedUnit) -> GatedUnit { GatedUnit(prefix + unit.name, isUser: unit.isUser) }

    /// Returns the units with a gate in a folder, by name.
    static func gatedUnits(in folder: String, isUser: Bool) -> [GatedUnit] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".service") }.sorted()
            .map { GatedUnit(String($0.dropFirst(prefix.count)), isUser: isUser) }
            .filter { GateFiles($0, in: folder).exist }
    }

    /// The gate's own unit.
    var gate: GatedUnit { Self.gate(of: unit) }
    /// The path of the gate's own unit file.
    var gatePath: String { folder + "/" + gate.name }
    private var dropInFolder: String { folder + "/\(unit.name).d" }
    /// The path of the drop-in.
    var dropInPath: String { dropInFolder + "/" + Self.dropInName }

    /// A Boolean value that indicates whether the unit has a gate.
    var exist: Bool {
        FileManager.default.fileExists(atPath: gatePath) || FileManager.default.fileExists(atPath: dropInPath)
    }

    /// The options with which the gate was installed, as people write them; `nil` if its file cannot be read.
    var options: String? {
        let text = try? String(contentsOfFile: gatePath, encoding: .utf8)
        return text?.split(separator: "\n").first { $0.hasPrefix(Self.optionsPrefix) }
            .map { $0.dropFirst(Self.optionsPrefix.count).trimmingCharacters(in: .whitespaces) }
    }

    /// Writes both files, the gate's own first.
    ///
    /// - Parameters:
    ///   - program: The path of `transferctl`.
    ///   - options: The options of the gate, as words of a command line.
    ///   - liftsTimeLimit: Whether the unit's limit for the time of its job is lifted, because the job waits.
    /// - Throws: `UsageError` if a file cannot be written. No file is then left.
    func write(program: String, options: [String], liftsTimeLimit: Bool) throws {
        do {
            for (path, text) in texts(program: program, options: options, liftsTimeLimit: liftsTimeLimit) {
                try ServiceWriter.write(text, to: path)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: gatePath)
            throw error
        }
    }

    /// Returns both files with their contents, the gate's own first.
    func texts(program: String, options: [String], liftsTimeLimit: Bool) -> [(path: String, text: String)] {
        [
            (gatePath, gateText(program: program, options: options)),
            (dropInPath, dropInText(liftsTimeLimit: liftsTimeLimit)),
        ]
    }

    /// Removes the drop-in, and its folder if that is empty.
    func removeDropIn() throws {
        try ServiceWriter.remove([dropInPath])
        rmdir(dropInFolder)
    }

    /// Removes the gate's own file.
    func removeGate() throws { try ServiceWriter.remove([gatePath]) }

    /// The drop-in. `Requires=` and `After=` make systemd finish the gate's start before it begins the unit's.
    func dropInText(liftsTimeLimit: Bool) -> String {
        """
        # Written by 'transferctl gate install'. To remove it: transferctl gate remove \(unit.name)
        [Unit]
        Requires=\(gate.name)
        After=\(gate.name)
        \(liftsTimeLimit ? "JobTimeoutSec=infinity\n" : "")
        """
    }

    /// The gate's own unit (systemd.service(5)).
    ///
    /// The gate ends with the unit (`StopWhenUnneeded=`). If the gate is killed, systemd runs `ExecStopPost=`, which thaws
    /// the unit. A failure of the gate does not end the unit: `Requires=` passes on only requested stops.
    func gateText(program: String, options: [String]) -> String {
        let manager = unit.isUser ? "--user" : "--system"
        let command = [program, "gate", "guard", unit.name, manager] + options
        return """
            # Written by 'transferctl gate install'. To remove it: transferctl gate remove \(unit.name)
            \(Self.optionsPrefix) \(options.map(Self.shellQuoted).joined(separator: " ").printable)
            [Unit]
            Description=Conditions of \(unit.name)
            Documentation=man:transferctl(1)
            StopWhenUnneeded=yes

            [Service]
            Type=notify
            RemainAfterExit=yes
            ExecStart=\(command.map(Self.quoted).joined(separator: " "))
            ExecStopPost=\([program, "gate", "thaw", unit.name, manager].map(Self.quoted).joined(separator: " "))
            TimeoutStartSec=infinity
            TimeoutStopSec=10
            SuccessExitStatus=143
            StateDirectory=transfer-gates
            MemoryMax=256M
            TasksMax=64
            LimitCORE=0
            \(unit.isUser ? "" : Self.hardening)
            """
    }

    /// The restrictions of a gate that runs as root: it needs systemd, the control groups, and the sources of conditions.
    /// The file system is read-only and not hidden, because the program may be in any folder.
    private static let hardening = ConditionUnits.hardening + "ProtectHome=read-only\n"

    /// Quotes a word for a command line in a unit file (systemd.service(5), "Command lines").
    static func quoted(_ word: String) -> String {
        let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("%", with: "%%")
            .replacing("$", with: "$$")
            .replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    /// Quotes a word as a person would for a shell.
    private static func shellQuoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-+:,.=_/@".contains($0)) }
        return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
