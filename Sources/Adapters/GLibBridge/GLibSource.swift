// SPDX-License-Identifier: Apache-2.0
import CGIO

/// A timer or a watched descriptor. Releasing this handle ends it.
///
/// Use on the thread of its executor only.
package final class GLibSource {
    private let source: UnsafeMutablePointer<GSource>

    /// Creates a handle and takes ownership of one reference.
    init(taking source: UnsafeMutablePointer<GSource>) { self.source = source }

    deinit {
        g_source_destroy(source)
        g_source_unref(source)
    }

    /// Ends the timer or watch immediately.
    package func cancel() { g_source_destroy(source) }
}
