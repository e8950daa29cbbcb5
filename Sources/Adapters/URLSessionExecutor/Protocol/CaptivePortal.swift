// SPDX-License-Identifier: Apache-2.0

/// Tells a network's login page from the file that was asked for.
enum CaptivePortal {
    /// Whether an answer with that head is most likely not the file at `url`.
    ///
    /// An HTML page where the URL names an archive, an image, a film or the like; or where bytes of something with a
    /// validator are to be continued and a page without one comes. What is sent as an attachment is meant.
    static func isSuspected(_ head: ResponseHead, url: String, isContinuing: Bool) -> Bool {
        guard head.mediaType == "text/html" || head.mediaType == "application/xhtml+xml" else { return false }
        if head.value("Content-Disposition")?.lowercased().hasPrefix("attachment") == true { return false }
        let ending = fileExtension(url)
        if otherTypes.contains(ending) { return true }
        return isContinuing && head.version == nil && !["html", "htm", "xhtml"].contains(ending)
    }

    private static func fileExtension(_ url: String) -> String {
        let name = URLReference(url).lastComponent
        guard let dot = name.lastIndex(of: ".") else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Extensions that are never HTML.
    private static let otherTypes: Set<String> = [
        "7z", "aac", "apk", "appimage", "avi", "avif", "bin", "bmp", "br", "bz2", "cab", "crx", "csv", "deb", "dmg",
        "doc", "docx", "epub", "exe", "flac", "flatpak", "gif", "gz", "heic", "ico", "img", "iso", "jar", "jpeg",
        "jpg", "json", "lz4", "lzma", "m4a", "m4v", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "msi", "odp", "ods",
        "odt", "ogg", "opus", "otf", "parquet", "pdf", "pkg", "png", "ppt", "pptx", "qcow2", "rar", "rpm", "sig",
        "snap", "sqlite", "squashfs", "svg", "tar", "tbz", "tgz", "tif", "tiff", "torrent", "ttf", "txz", "vdi",
        "vmdk", "wasm", "wav", "webm", "webp", "whl", "wim", "woff", "woff2", "xls", "xlsx", "xz", "z", "zip", "zst",
    ]
}
