// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension TransferSpecification {
    /// Returns the destination of a finished file with the given name. A file name that only a server chose never
    /// replaces a file (C8).
    ///
    /// A user who asks for `--overwrite` knows the chosen name and the name at the end of the URL. A name from
    /// `Content-Disposition` or from a redirect's target could match any file in the folder. The existing file is
    /// therefore kept, and the new file receives a number.
    package func destination(named name: String) -> Destination {
        var result = destination
        guard result.collision == .overwrite, result.name == nil else { return result }
        let limit = DestinationFolder(self).nameLimit
        if name != ServerFileName.name(disposition: nil, url: url, limit: limit) { result.collision = .rename }
        return result
    }
}
