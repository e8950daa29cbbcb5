// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension Destination {
    /// Creates the destination of a transfer's finished file with the given name. A file name that only a server chose
    /// never replaces a file (C8).
    ///
    /// A user who asks for `--overwrite` knows the chosen name and the name at the end of the URL. A name from
    /// `Content-Disposition` or from a redirect's target could match any file in the folder. The existing file is
    /// therefore kept, and the new file receives a number.
    package init(of specification: TransferSpecification, named name: String) {
        self = specification.destination
        guard collision == .overwrite, self.name == nil else { return }
        let limit = DestinationFolder(specification).nameLimit
        if name != ServerFileName.name(disposition: nil, url: specification.url, limit: limit) { collision = .rename }
    }
}
