// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel

/// Opens files with the desktop's programs.
enum FileOpener {
    private static let queue = DispatchQueue(label: "transferctl.open", attributes: .concurrent)

    /// Opens the file at `path` with xdg-open, and reports the result.
    static func open(_ path: String) async -> WatchEvent {
        var opener = ChildProgram(
            "/usr/bin/env", ["env", "xdg-open", path], environment: ProcessInfo.processInfo.environment)
        (opener.output, opener.errors) = (.null, .null)
        guard FileManager.default.fileExists(atPath: path) else { return .refused("\(path) is gone") }
        guard let process = try? opener.start() else { return .refused("xdg-open cannot be started") }
        return await withCheckedContinuation { continuation in
            queue.async {
                let hasOpened = ChildProgram.collect(process) == .status(0)
                continuation.resume(
                    returning: hasOpened ? .performed("opened \(path)") : .refused("xdg-open cannot open \(path)"))
            }
        }
    }
}
