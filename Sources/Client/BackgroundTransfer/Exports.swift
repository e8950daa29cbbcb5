// SPDX-License-Identifier: Apache-2.0

// An app imports Foundation and this module, and nothing else: `URLSession` and the delegate protocols are then those of
// this module, all other names FoundationNetworking's. Beside an `import FoundationNetworking` of the app's own the
// compiler finds both and cannot choose.
@_exported public import Foundation
@_exported public import FoundationNetworking
