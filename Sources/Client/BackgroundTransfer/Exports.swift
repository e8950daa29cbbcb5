// SPDX-License-Identifier: Apache-2.0

// An app imports Foundation and this module, and nothing else. `URLSession` and the delegate protocols are then those
// of this module, and all other names are FoundationNetworking's. If the app also imports FoundationNetworking, the
// compiler finds both declarations and reports an ambiguity.
@_exported public import Foundation
@_exported public import FoundationNetworking
