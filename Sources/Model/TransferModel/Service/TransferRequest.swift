// SPDX-License-Identifier: Apache-2.0

/// A transfer as submitted over D-Bus, before the daemon has examined its URL and its file.
package struct TransferRequest: Hashable, Sendable {
    /// The file to upload.
    package struct Upload: Hashable, Sendable {
        /// The absolute path of the file.
        package var path: String
        /// The HTTP method that sends the bytes.
        package var method: UploadSource.Method
        /// The `Content-Type` of the bytes, or `nil` to send none.
        package var contentType: String?
        /// The rule for continuing an interrupted upload.
        package var resumption: UploadSource.Resumption
        /// The open file of a sandboxed caller, valid until the call returns. `path` is then only for display.
        package var descriptor: Int32?

        /// Creates the description of an upload.
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

    /// The requested work in the engine's form. Neither the URL nor the file of an upload has been examined.
    package var specification: TransferSpecification
    /// The file to upload, or `nil` for a download.
    package var upload: Upload?
    /// The key for finding the transfer again. Only for a service in this process; D-Bus does not carry the key.
    package var key: String?
    /// The partial file of an earlier transfer. D-Bus does not carry it.
    package var resume: ResumePoint?

    /// Creates a request for a download, or for an upload of `upload`.
    package init(
        _ specification: TransferSpecification, upload: Upload? = nil, key: String? = nil, resume: ResumePoint? = nil
    ) {
        self.specification = specification
        self.upload = upload
        (self.key, self.resume) = (key, resume)
    }
}
