// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// The decoded status of the network portal.
struct PortalReading: Hashable, Sendable {
    /// The reachability; `nil` if the portal does not report it.
    var reachability: Reachability?
    /// The metered state.
    ///
    /// The portal has only two values and reports "free" even if the cost is unknown, so both values are guesses.
    var metered: Metered

    /// Decodes the reply of `GetStatus`. Missing and invalid values count as unknown.
    init(inReply values: [VariantValue]) {
        guard case .dictionary(let status)? = values.first else {
            metered = .unknown
            return
        }
        metered =
            switch status["metered"] {
            case .bool(true): .guessYes
            case .bool(false): .guessNo
            default: .unknown
            }
        if status["available"] == .bool(false) {
            reachability = Reachability.none
            return
        }
        reachability =
            switch status["connectivity"] {
            // Only a local network, or part of the internet.
            case .integer(1), .integer(2): .limited
            case .integer(3): .portal
            case .integer(4): .full
            default: nil
            }
    }
}
