// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension TransferSpecification {
    /// The destination of a finished file that is to get `name`, which does not replace what only a server names (C8).
    ///
    /// A person who asks for `--overwrite` knows the name they gave and the one at the end of their URL. A name from
    /// `Content-Disposition` or from a redirect's target could be that of any file in the folder, so that a file of
    /// that name stays and the new one is numbered.
    package func destination(named name: String) -> Destination {
        var result = destination
        guard result.collision == .overwrite, result.name == nil else { return result }
        let limit = DestinationFolder(self).nameLimit
        if name != ServerFileName.name(disposition: nil, url: url, limit: limit) { result.collision = .rename }
        return result
    }
}
