// SPDX-License-Identifier: Apache-2.0

/// A transfer as it is handed over by the bus, before the daemon has looked at its URL and its file.
package struct TransferRequest: Hashable, Sendable {
    /// What to upload.
    package struct Upload: Hashable, Sendable {
        /// The file's absolute path.
        package var path: String
        /// How the bytes are sent.
        package var method: UploadSource.Method
        /// `Content-Type`; nil sends none.
        package var contentType: String?
        /// Whether an interrupted upload may go on in the middle.
        package var resumption: UploadSource.Resumption
        /// The file itself, of a caller in a sandbox; open until its call is answered. `path` is for people only then.
        package var descriptor: Int32?

        /// An upload.
        package init(
            path: String, method: UploadSource.Method = .put, contentType: String? = nil,
            resumption: UploadSource.Resumption = .automatic
        ) {
            self.path = path
            self.method = method
            self.contentType = contentType
            self.resumption = resumption
        }
    }

    /// What to do, as the engine has it; its URL has not been looked at, and of an upload the file has not.
    package var specification: TransferSpecification
    /// What to upload; nil for a download.
    package var upload: Upload?
    /// The key by which the transfer is found again; of a service in this process only, no bus carries it.
    package var key: String?

    /// A download, or an upload of `upload`.
    package init(_ specification: TransferSpecification, upload: Upload? = nil, key: String? = nil) {
        self.specification = specification
        self.upload = upload
        self.key = key
    }
}
