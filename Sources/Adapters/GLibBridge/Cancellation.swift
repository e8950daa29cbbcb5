// SPDX-License-Identifier: Apache-2.0
package import CGIO

/// Cancels GIO calls, including blocking calls, from any thread.
package final class Cancellation: @unchecked Sendable {
    // Guard for `@unchecked`: GCancellable may be used from any thread.
    /// The object to pass to GIO functions.
    package let cancellable: UnsafeMutablePointer<GCancellable>

    package init() { cancellable = g_cancellable_new() }

    deinit { g_object_unref(cancellable) }

    /// Cancels the calls that received `cancellable`.
    package func cancel() { g_cancellable_cancel(cancellable) }
}
