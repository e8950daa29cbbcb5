// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferModel

/// What the network portal says, decoded.
struct PortalReading: Hashable, Sendable {
    /// What can be reached; nil where it does not say.
    var reachability: Reachability?
    /// Whether bytes cost.
    ///
    /// The portal knows only two words, and says "free" also where nobody knows: both are guesses.
    var metered: Metered

    /// Reads the reply of `GetStatus`; missing and odd values count as unknown.
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
            // Nothing but a local network, or a part of the internet.
            case .integer(1), .integer(2): .limited
            case .integer(3): .portal
            case .integer(4): .full
            default: nil
            }
    }
}
