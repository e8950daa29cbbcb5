// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxKernel
import ToolSupport
import TransferEngine
import TransferModel

extension HeldConditions {
    /// Sets or releases the hold. Returns after the file has been written or removed.
    ///
    /// - Throws: An error if the file cannot be written. The hold has not changed then.
    func set(_ hold: MachineHold?) throws {
        if let hold {
            try DurableFile.write(HoldFile.contents(hold, since: alarm.now().wall), to: file.path)
        } else if FileManager.default.fileExists(atPath: file.path) {
            try FileManager.default.removeItem(atPath: file.path)
            DurableFile.syncFolder(of: file.path)
        }
        reload()
    }
}

/// A stream that carries changes of the hold to the bus.
final class HoldWatch: Sendable {
    let changes: AsyncStream<Fact<MachineHold?>>
    private let continuation: AsyncStream<Fact<MachineHold?>>.Continuation

    init() { (changes, continuation) = AsyncStream.makeStream() }

    func report(_ hold: Fact<MachineHold?>) { continuation.yield(hold) }
}
