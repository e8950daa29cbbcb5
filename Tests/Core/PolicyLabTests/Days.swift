// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

@testable import PolicyLab

/// Short days as text: one letter for each period of equal length.
///
/// `A` is AC and Wi-Fi, `b` is battery and Wi-Fi, `C` is AC and a mobile network, `d` is battery and a mobile
/// network, `-` is no network, `?` is unknown, and `z` is asleep.
enum Days {
    static func trace(_ letters: String, seconds: Int64 = 100, device: String = "day") -> Trace {
        let segments = letters.enumerated().map { number, letter in
            Trace.Segment(
                start: date(Int64(number) * seconds), end: date(Int64(number + 1) * seconds),
                power: letter == "?" ? .unknown : "AC-z".contains(letter) ? .ac : .battery,
                network: network(letter), isSuspended: letter == "z")
        }
        return Trace(device: device, segments: segments)!
    }

    private static func network(_ letter: Character) -> Trace.Network {
        switch letter {
        case "C", "d": .cell
        case "-": .none
        case "?": .unknown
        default: .wifi
        }
    }

    static func date(_ seconds: Int64) -> WallTime { WallTime(secondsSinceEpoch: 1_000_000 + seconds) }

    static func job(_ id: Int64, at arrival: Int64 = 0, bytes: Int64, by deadline: Int64?) -> Job {
        Job(id: id, arrival: date(arrival), bytes: bytes, deadline: deadline.map(date))
    }

    /// Settings with a rate of one byte per second on every network.
    static var slow: ReplaySettings {
        var settings = ReplaySettings()
        (settings.wifiRate, settings.cellRate) = (1, 1)
        return settings
    }

    static func replay(
        _ trace: Trace, _ jobs: [Job], _ policy: String = "immediate", _ settings: ReplaySettings = slow
    ) throws -> DeviceOutcome {
        guard let policy = try LabPolicy(policy).policy else {
            return DeviceOutcome(device: trace.device)
        }
        var replay = Replay(trace, jobs: jobs, policy: policy, settings: settings)
        return replay.run()
    }
}
