// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A task that cannot be carried out, and what its app is told.
package struct UnusableTask: Error, Hashable, Sendable {
    package var failure: FailureDescription

    package init(code: Int, message: String) { failure = FailureDescription(code: code, message: message) }
}
