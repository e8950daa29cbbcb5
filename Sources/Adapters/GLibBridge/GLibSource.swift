// SPDX-License-Identifier: Apache-2.0
import CGIO

/// A timer or a watched descriptor; it ends when this handle goes away.
///
/// Use it on its executor's thread only.
package final class GLibSource {
    private let source: UnsafeMutablePointer<GSource>

    /// Takes over one reference.
    init(taking source: UnsafeMutablePointer<GSource>) { self.source = source }

    deinit {
        g_source_destroy(source)
        g_source_unref(source)
    }

    /// Ends it now.
    package func cancel() { g_source_destroy(source) }
}
