// SPDX-License-Identifier: Apache-2.0

extension TransferSpecification {
    /// A copy without possible secrets: no header fields, no cookies, no body, no credentials, and a URL without user, password,
    /// query, and fragment.
    ///
    /// These fields alone determine whether a store must remove anything.
    public var redacted: TransferSpecification {
        var copy = self
        copy.headers = []
        copy.cookies = nil
        copy.credential = nil
        copy.body = nil
        copy.challengeResponses = []
        copy.url = RedactedURL.text(of: url)
        copy.mirrors?.urls = mirrors?.urls.map { RedactedURL.text(of: $0) } ?? []
        copy.isIncomplete = isIncomplete || copy != self
        return copy
    }
}
