// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import TransferModel
internal import TransferPolicy

/// The setup and the steps of a run. As text, each of them is a line of JSON.
package struct RunLog: Sendable {
    package var setup: RunSetup
    package var steps: [RunStep] = []

    package init(setup: RunSetup, steps: [RunStep] = []) {
        self.setup = setup
        self.steps = steps
    }

    /// Creates a log from its text.
    package init(_ text: String) throws {
        let lines = text.split(separator: "\n").map { Data($0.utf8) }
        setup = try lines.first.map { try JSONDecoder().decode(RunSetup.self, from: $0) } ?? RunSetup()
        steps = try lines.dropFirst().map { try JSONDecoder().decode(RunStep.self, from: $0) }
    }

    package var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let lines = [try encoder.encode(setup)] + (try steps.map { try encoder.encode($0) })
            return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        }
    }

    /// Returns a shorter log with the same or another failure, or `nil` if the log does not fail.
    ///
    /// Steps are removed by halves down to single steps, followed by single requirements of transfers (delta
    /// debugging, Zeller and Hildebrandt 2002).
    package func shrunk(_ failure: (RunLog) -> String?) -> (log: RunLog, fault: String)? {
        guard let fault = failure(self) else { return nil }
        var best = (log: self, fault: fault)
        // Enough for logs of several thousand steps; longer logs are shrunk only in part.
        var triesLeft = 6000
        func accepts(_ candidate: RunLog) -> Bool {
            triesLeft -= 1
            guard triesLeft > 0, let fault = failure(candidate) else { return false }
            best = (candidate, fault)
            return true
        }
        var isShorter = true
        while isShorter, triesLeft > 0 {
            isShorter = false
            var length = max(1, best.log.steps.count / 2)
            while length > 0 {
                // Removal starts at the end, because later steps depend on earlier steps.
                for end in stride(from: best.log.steps.count, to: 0, by: -length) {
                    var candidate = best.log
                    candidate.steps.removeSubrange(max(0, end - length)..<end)
                    if accepts(candidate) { isShorter = true }
                }
                length /= 2
            }
            for index in best.log.steps.indices.reversed() {
                for simplify in TransferTraits.simplifications {
                    var candidate = best.log
                    candidate.steps[index].changeTraits(simplify)
                    if candidate.steps[index] != best.log.steps[index], accepts(candidate) { isShorter = true }
                }
            }
            var usual = best.log
            usual.setup.isUsual = true
            if usual.setup != best.log.setup, accepts(usual) { isShorter = true }
        }
        return best
    }
}

extension RunStep {
    /// Changes the traits of the step's transfer, if the step has traits.
    fileprivate mutating func changeTraits(_ change: (inout TransferTraits) -> Void) {
        switch self {
        case .submit(let id, var traits):
            change(&traits)
            self = .submit(id, traits)
        case .change(let id, var traits):
            change(&traits)
            self = .change(id, traits)
        default: break  // Other steps have no traits.
        }
    }
}

extension TransferTraits {
    /// Changes that remove one requirement each.
    fileprivate static let simplifications: [@Sendable (inout TransferTraits) -> Void] = [
        { $0.constraints.power = .any }, { $0.constraints.metered = .unstated }, { $0.constraints.linkKinds = .any },
        { $0.constraints.connection = .any }, { $0.constraints.notBefore = nil }, { $0.constraints.deadline = nil },
        { $0.constraints.window = nil }, { $0.constraints.price = nil }, { $0.constraints.patience = nil },
        { $0.constraints.custom = [] },
        { $0.priority = 500 }, { $0.isLoopback = false }, { $0.expectedBytesToReceive = nil },
        { $0.maximumAttempts = nil }, { $0.policy = nil }, { $0.session = nil }, { $0.slotsPerHost = nil },
        { $0.isFromBackground = nil },
        { $0.expires = nil },
    ]
}
