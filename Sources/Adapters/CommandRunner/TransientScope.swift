// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel

/// A transient scope of systemd: a control group that systemd creates for a process that already exists.
enum TransientScope {
    /// The longest time to wait for systemd's reply, and then for the scope, in seconds. The command starts only
    /// afterwards.
    private static let patience = 3

    /// Moves a process into a new scope. Returns whether systemd did.
    ///
    /// Uses the user's systemd on the session bus; root's commands use the systemd of the machine if there is none.
    static func move(_ process: Int32) -> Bool {
        (["--user"] + (getuid() == 0 ? ["--system"] : [])).contains { manager in
            let words = ["busctl", manager, "--auto-start=no", "--timeout=\(patience)"] + request(for: process)
            let reply = try? ChildProgram.capture(words, environment: ProcessInfo.processInfo.environment)
            guard reply?.end == .status(0) else { return false }
            // systemd replies when it has queued the job, and moves the process a moment later.
            for _ in 0..<(patience * 100) {
                if CgroupFreezer.group(of: process)?.hasSuffix("/" + name(of: process)) == true { return true }
                usleep(10_000)
            }
            return false
        }
    }

    /// The name of the scope of a process.
    static func name(of process: Int32) -> String { "transferctl-run-\(process).scope" }

    /// The call of `StartTransientUnit` (org.freedesktop.systemd1(5)) in the words of busctl(1).
    private static func request(for process: Int32) -> [String] {
        let manager = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
        let properties = [
            ["Description", "s", "A command of transferctl run"], ["PIDs", "au", "1", "\(process)"],
            ["CollectMode", "s", "inactive-or-failed"],
        ]
        return ["call"] + manager + ["StartTransientUnit", "ssa(sv)a(sa(sv))", name(of: process), "fail"]
            + ["\(properties.count)"] + properties.flatMap(\.self) + ["0"]
    }
}
