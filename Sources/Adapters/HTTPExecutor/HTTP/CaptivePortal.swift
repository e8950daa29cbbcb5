// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferFiles
internal import TransferModel

/// Distinguishes a network's login page from the requested file.
enum CaptivePortal {
    /// Returns whether the response is probably not the requested file.
    ///
    /// An HTML page is suspicious if it contradicts what is known: the types that the transfer accepts, the type of
    /// the file, or its version or size if the request continues a file. No login page comes from this machine or its
    /// network, and none is an attachment. A transfer can accept all pages.
    static func isSuspected(
        _ head: ResponseHead, request: RequestPlan, expected: DownloadStateMachine.ExpectedFile, isContinuing: Bool
    ) -> Bool {
        guard isPage(head.mediaType), !request.acceptsWebPages, !LocalHost.contains(URLReference(request.url).host)
        else { return false }
        if head.value("Content-Disposition")?.lowercased().hasPrefix("attachment") == true { return false }
        if let accept = request.headers.firstValue("Accept")?.lowercased(),
            !["*/*", "text/*", head.mediaType].contains(where: accept.contains)
        {
            return true
        }
        if let known = expected.file { return !isPage(known.mediaType) }
        // The URL of a page, or of a folder.
        let name = URLReference(request.url).lastComponent.lowercased()
        guard isContinuing, !name.isEmpty, ![".html", ".htm", ".xhtml"].contains(where: name.hasSuffix) else {
            return false
        }
        guard let version = expected.version else { return head.contentLength != expected.total }
        return version.isSameVersion(as: head) != true
    }

    /// Returns the host and port of the page to which an upload was redirected by a response without TLS. Returns
    /// `nil` if the redirect stays on the host, or if the host is on this machine or its network.
    ///
    /// The bytes of the upload must not go to that page.
    static func suspectedPage(_ head: ResponseHead, from url: String) -> String? {
        let base = URLReference(url)
        guard !LocalHost.contains(base.host) else { return nil }
        let target = URLReference(head.value("Location") ?? "").resolved(against: base)
        let isElsewhere = (301...303).contains(head.status) && base.scheme == "http" && target.host != base.host
        return isElsewhere ? target.hostAndPort : nil
    }

    private static func isPage(_ mediaType: String) -> Bool {
        mediaType == "text/html" || mediaType == "application/xhtml+xml"
    }
}
