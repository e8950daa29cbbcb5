// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import HTTPExecutor
public import TransferModel

extension TransferSpecification {
    /// Creates a download.
    ///
    /// ```swift
    /// let episode = URL(string: "https://example.org/episode.mp3")!
    /// let folder = URL(filePath: "/srv/podcasts/", directoryHint: .isDirectory)
    /// let specification = TransferSpecification(downloading: episode, to: folder, kind: .discretionary)
    /// ```
    ///
    /// All other properties have their defaults, and can be changed afterwards. The service fills in the host and the
    /// date of the submission.
    ///
    /// - Parameters:
    ///   - url: The http or https URL. Its user and password become the `credential`.
    ///   - destination: The file URL of the new file, or of the folder for the file. An existing folder, or a URL that
    ///     ends with a slash, is a folder; the server then names the file. A missing folder is created.
    ///   - kind: The kind of work. Only work of the kind `discretionary` waits for the policy.
    ///   - constraints: The requirements of the transfer. The default requires only a network.
    ///   - collision: The rule for an existing file of the same name. The default renames the new file.
    public init(
        downloading url: URL, to destination: URL, kind: WorkKind = .normal, constraints: Constraints = Constraints(),
        collision: Destination.Collision = .rename
    ) {
        var isFolder = ObjCBool(destination.hasDirectoryPath)
        if !isFolder.boolValue { _ = FileManager.default.fileExists(atPath: destination.path, isDirectory: &isFolder) }
        let folder = isFolder.boolValue ? destination : destination.deletingLastPathComponent()
        let place = Destination(
            // The engine refuses a folder that is not an absolute path.
            directory: destination.isFileURL ? folder.absoluteURL.path : destination.absoluteString,
            name: isFolder.boolValue ? nil : destination.lastPathComponent, collision: collision)
        let (address, credential) = url.withoutCredential
        self.init(
            url: address, destination: place, traits: TransferTraits(kind: kind, constraints: constraints))
        self.credential = credential
    }

    /// Creates an upload of a file in its current state. The file must not change before the upload has ended.
    ///
    /// ```swift
    /// let photo = URL(filePath: "/srv/photos/1.jpg")
    /// let specification = try TransferSpecification(uploading: photo, to: URL(string: "https://example.org/1.jpg")!)
    /// ```
    ///
    /// - Parameters:
    ///   - file: The file URL of the file.
    ///   - url: The http or https URL. Its user and password become the `credential`.
    ///   - method: The HTTP method that sends the bytes. The default is PUT.
    ///   - contentType: The `Content-Type` of the bytes, or `nil` to send none.
    ///   - kind: The kind of work. Only work of the kind `discretionary` waits for the policy.
    ///   - constraints: The requirements of the transfer. The default requires only a network.
    /// - Throws: `TransferFailure` if the file cannot be read or is not a regular file.
    public init(
        uploading file: URL, to url: URL, method: UploadSource.Method = .put, contentType: String? = nil,
        kind: WorkKind = .normal, constraints: Constraints = Constraints()
    ) throws(TransferFailure) {
        let source = try UploadSource(fileAt: file.absoluteURL.path, method: method, contentType: contentType)
        let (address, credential) = url.withoutCredential
        var traits = TransferTraits(kind: kind, constraints: constraints)
        traits.expectedBytesToSend = source.size
        self.init(url: address, upload: source, traits: traits)
        self.credential = credential
    }
}

extension URL {
    /// The URL without user, password, and fragment, and the credential that consists of the first two.
    fileprivate var withoutCredential: (url: String, credential: Credential?) {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return (absoluteString, nil)
        }
        let credential = components.user.map { Credential(user: $0, password: components.password ?? "") }
        (components.user, components.password, components.fragment) = (nil, nil, nil)
        return (components.string ?? absoluteString, credential)
    }
}
