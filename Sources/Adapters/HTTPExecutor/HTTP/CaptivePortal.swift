// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Distinguishes a network's login page from the requested file.
enum CaptivePortal {
    /// Returns whether the response is probably not the file at `url`.
    ///
    /// An HTML page is suspicious in two cases. First, the URL names an archive, an image, a video, or a similar
    /// file. Second, the request continues a file that is not known to be a page, and the page does not name the
    /// file's version.
    ///
    /// A response that the server sends as an attachment is never suspicious.
    static func isSuspected(
        _ head: ResponseHead, url: String, isContinuing: Bool, version: Validator? = nil, known: ServerFile? = nil
    ) -> Bool {
        guard isPage(head.mediaType) else { return false }
        if head.value("Content-Disposition")?.lowercased().hasPrefix("attachment") == true { return false }
        let ending = fileExtension(url)
        if otherTypes.contains(ending) { return true }
        guard isContinuing else { return false }
        if let known { return !isPage(known.mediaType) }
        let isOurs = version.flatMap { mine in head.version.flatMap { mine.isSameVersion(as: $0) } } ?? false
        // The URL of a folder also refers to a page.
        return !isOurs && !pageTypes.contains(ending) && !URLReference(url).lastComponent.isEmpty
    }

    /// Returns the host and port of the page to which an upload was redirected by a response without TLS. Returns
    /// `nil` if the redirect stays on the host.
    ///
    /// The bytes of the upload must not go to that page.
    static func suspectedPage(_ head: ResponseHead, from url: String) -> String? {
        let base = URLReference(url)
        let target = URLReference(head.value("Location") ?? "").resolved(against: base)
        let isElsewhere = (301...303).contains(head.status) && base.scheme == "http" && target.host != base.host
        return isElsewhere ? target.hostAndPort : nil
    }

    private static func isPage(_ mediaType: String) -> Bool {
        mediaType == "text/html" || mediaType == "application/xhtml+xml"
    }

    private static func fileExtension(_ url: String) -> String {
        let name = URLReference(url).lastComponent
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    private static let pageTypes: Set<String> = ["html", "htm", "xhtml"]

    /// The file extensions that never belong to HTML.
    private static let otherTypes: Set<String> = [
        "7z", "aac", "apk", "appimage", "avi", "avif", "bin", "bmp", "br", "bz2", "cab", "crx", "csv", "deb", "dmg",
        "doc", "docx", "epub", "exe", "flac", "flatpak", "gif", "gz", "heic", "ico", "img", "iso", "jar", "jpeg",
        "jpg", "json", "lz4", "lzma", "m4a", "m4v", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods",
        "odt", "ogg", "opus", "otf", "parquet", "pdf", "pkg", "png", "ppt", "pptx", "qcow2", "rar", "rpm", "sig",
        "snap", "sqlite", "squashfs", "svg", "tar", "tbz", "tgz", "tif", "tiff", "torrent", "ttf", "txz", "vdi",
        "vmdk", "wasm", "wav", "webm", "webp", "whl", "wim", "woff", "woff2", "xls", "xlsx", "xz", "z", "zip", "zst",
    ]
}
