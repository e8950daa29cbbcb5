// SPDX-License-Identifier: Apache-2.0

/// An action on a transfer; the raw value is the D-Bus method.
package enum TransferDeed: String, Hashable, Sendable, CaseIterable {
    case pause = "Pause"
    case resume = "Resume"
    case cancel = "Cancel"
    case startNow = "StartNow"
}
