// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import PolicyLab
import ToolSupport
import TransferModel

/// The folder of `transferctl history --trace --donate`.
struct DonationFolder {
    private let path: String

    /// Checks that the folder is new or empty, so that a donation contains nothing else.
    ///
    /// - Throws: `UsageError` that names the folder and the remedy.
    init(path: String) throws {
        self.path = path
        guard FileManager.default.fileExists(atPath: path) else { return }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw UsageError("--donate \(path) is not a folder that can be read")
        }
        guard names.isEmpty else { throw UsageError("the folder --donate \(path) is not empty; choose a new folder") }
    }

    /// Writes an anonymized recording, and returns it.
    ///
    /// - Parameters:
    ///   - trace: The recorded conditions.
    ///   - jobs: The recorded transfers.
    ///   - clock: The local clock.
    /// - Throws: `UsageError` if the recording is too short, or a file cannot be written.
    func write(trace: Trace, jobs: [Job], clock: LocalClock = LocalClock()) throws -> Donation {
        // Random, so that no two machines share a name and the name tells nothing about the machine.
        let number = UInt32.random(in: .min ... .max)
        let digits = String(number, radix: 16)
        guard
            let donation = Donation(
                trace: trace, jobs: jobs, name: "laptop-" + String(repeating: "0", count: 8 - digits.count) + digits,
                zoneOffset: clock.offsetSeconds(at: trace.start.secondsSinceEpoch))
        else { throw UsageError("the recorded conditions are too short to donate") }
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for (name, text) in donation.files {
                // Another user who can write to the folder may have made a file or a link in the meantime.
                try Data(text.utf8).write(
                    to: URL(fileURLWithPath: path).appendingPathComponent(name), options: .withoutOverwriting)
            }
        } catch {
            throw UsageError("cannot write to the folder --donate \(path): \(error.localizedDescription)")
        }
        return donation
    }
}
