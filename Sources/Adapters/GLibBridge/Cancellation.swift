// SPDX-License-Identifier: Apache-2.0
package import CGIO

/// Ends GIO calls early, from any thread, blocking calls included.
package final class Cancellation: @unchecked Sendable {
    // Guard for @unchecked: GCancellable may be used from any thread.
    /// What GIO functions take.
    package let cancellable: UnsafeMutablePointer<GCancellable>

    package init() { cancellable = g_cancellable_new() }

    deinit { g_object_unref(cancellable) }

    /// Ends the calls that were given `cancellable`.
    package func cancel() { g_cancellable_cancel(cancellable) }
}
