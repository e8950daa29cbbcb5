// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension SessionError {
    /// Creates an error from a refusal of the service.
    package init(_ refusal: SessionRefusal) {
        let code: Code =
            switch refusal.code {
            case .badIdentifier: .badIdentifier
            case .inUse: .inUse
            case .noSuchSession, .invalid, .limitExceeded, .unavailable: .unavailable
            }
        self.init(code: code, message: refusal.message, owner: refusal.owner)
    }
}
