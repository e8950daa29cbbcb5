// SPDX-License-Identifier: Apache-2.0

/// What can be done to a transfer.
package enum TransferDeed: String, Hashable, Sendable, CaseIterable {
    case pause = "Pause"
    case resume = "Resume"
    case cancel = "Cancel"
    case startNow = "StartNow"
}
