// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

@testable import PolicyLab

/// Short days, written as text: a letter for each stretch of the same length.
///
/// `A` mains and Wi-Fi, `b` battery and Wi-Fi, `C` mains and mobile network, `d` battery and mobile network, `-` no
/// network, `?` unknown, `z` asleep.
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

    /// A byte a second, whatever the network.
    static var slow: ReplaySettings {
        var settings = ReplaySettings()
        (settings.freeRate, settings.cellRate) = (1, 1)
        return settings
    }

    static func replay(
        _ trace: Trace, _ jobs: [Job], _ policy: String = "immediate", _ settings: ReplaySettings = slow
    ) throws -> DeviceOutcome {
        guard let policy = try LabPolicy(policy).policy(on: trace, settings: settings) else {
            return DeviceOutcome(device: trace.device)
        }
        var replay = Replay(trace, jobs: jobs, policy: policy, settings: settings)
        return replay.run()
    }
}
