// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel

/// A unit of systemd whose runs a gate controls.
///
/// Every method runs `systemctl` or writes to the unit's control group, and blocks meanwhile.
package struct GatedUnit: Hashable, Sendable {
    /// The unit's name with its suffix, such as `restic.service`.
    package let name: String
    /// A Boolean value that indicates whether the unit belongs to the user's systemd instead of the machine's.
    package let isUser: Bool

    /// Creates a reference to a unit, which may not exist.
    package init(_ name: String, isUser: Bool) { (self.name, self.isUser) = (name, isUser) }

    /// Runs `systemctl` for the unit's systemd.
    ///
    /// - Returns: What `systemctl` printed.
    /// - Throws: `FreezeError` with the message of `systemctl`.
    @discardableResult
    package func systemctl(_ words: [String]) throws(FreezeError) -> String {
        let command = ["systemctl", "--no-pager", isUser ? "--user" : "--system"] + words
        let (end, text): (ChildProgram.End?, String)
        do {
            (end, text) = try ChildProgram.capture(command, environment: ProcessInfo.processInfo.environment)
        } catch {
            throw FreezeError(description: "cannot run systemctl: \(error)")
        }
        let message = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard end == .status(0) else {
            let manager = isUser ? "your systemd" : "the machine's systemd"
            throw FreezeError(
                description: message.contains("onnect to")
                    ? "\(manager) cannot be reached, and a gate needs it (\(message))"
                    : "\(manager) refused '\(words.joined(separator: " "))': \(message)")
        }
        return message
    }

    /// Freezes or thaws all processes of the unit with the freezer of its control group (cgroups(7)).
    ///
    /// `systemctl freeze` refuses a unit whose start is not complete, which a unit of `Type=oneshot` never is while it
    /// runs. systemd itself thaws the group before it stops the unit.
    ///
    /// - Returns: Whether the unit has processes to freeze or to thaw.
    /// - Throws: `FreezeError` if the kernel refuses, or if systemd cannot be asked.
    package func setFrozen(_ isFrozen: Bool) throws(FreezeError) -> Bool {
        let group = try systemctl(["show", "-P", "ControlGroup", name])
        guard group.hasPrefix("/"), group != "/" else { return false }
        let file = CgroupFreezer.openFreezer(of: group)
        // systemd removes the group of a unit without processes.
        guard file >= 0 else {
            if errno == ENOENT { return false }
            throw FreezeError.system("cannot freeze the control group \(group)", errno)
        }
        defer { close(file) }
        guard write(file, isFrozen ? "1" : "0", 1) == 1 else {
            if errno == ENODEV { return false }
            throw FreezeError.system("cannot freeze the control group \(group)", errno)
        }
        return true
    }
}
