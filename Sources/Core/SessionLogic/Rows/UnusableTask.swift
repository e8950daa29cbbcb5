// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// An error for a task that cannot be carried out. Carries the failure that the app receives.
package struct UnusableTask: Error, Hashable, Sendable {
    package var failure: FailureDescription

    package init(code: Int, message: String) { failure = FailureDescription(code: code, message: message) }
}
