// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension ResponseHead {
    /// The version of the file as named by the server, or `nil` if the server names no version.
    var version: Validator? {
        let validator = Validator(entityTag: value("ETag"), lastModified: value("Last-Modified"))
        return validator.entityTag == nil && validator.lastModified == nil ? nil : validator
    }

    /// Returns the version if it is reliable enough to join two parts of a file. `nil` forbids a continuation.
    ///
    /// A strong entity tag is reliable. A date is reliable if it is at least a second earlier than the date of the
    /// response, because a file may change twice in one second (RFC 9110 §8.8.2.2). The server's clock and ours may
    /// differ, so a response without a date requires a minute.
    ///
    /// - Parameter now: The local time of the response in seconds since 1970.
    func continuingVersion(now: Int64) -> Validator? {
        guard !isEncoded, let version else { return nil }
        let latest = value("Date").flatMap(HTTPDate.seconds).map { $0 - 1 } ?? now - 60
        let date = version.lastModified.flatMap { text in HTTPDate.seconds(text).flatMap { $0 <= latest ? text : nil } }
        let isStrong = version.strongTag != nil
        guard isStrong || date != nil else { return nil }
        return Validator(entityTag: version.entityTag, lastModified: date)
    }
}

extension Validator {
    /// The entity tag if the tag is strong. Equal strong tags guarantee equal bytes.
    var strongTag: String? {
        guard let entityTag, entityTag.hasPrefix("\""), entityTag.hasSuffix("\""), entityTag.count >= 2 else {
            return nil
        }
        return entityTag
    }

    /// The value for `If-Range`: the strong tag if there is one, otherwise the date.
    var ifRange: String? { strongTag ?? lastModified }

    /// Returns whether a response with the given head continues this version. The head must repeat the values that
    /// name this version.
    func isContinued(by head: ResponseHead) -> Bool {
        guard ifRange != nil else { return false }
        if let entityTag, head.value("ETag") != entityTag { return false }
        if let lastModified, head.value("Last-Modified") != lastModified {
            // RFC 9110 §15.3.7 allows a response to `If-Range` with a tag to omit other fields.
            return strongTag != nil && head.value("Last-Modified") == nil
        }
        return true
    }

    /// Returns whether the head of a response names this version. Returns `nil` if they have no comparable values.
    func isSameVersion(as head: ResponseHead) -> Bool? { head.version.flatMap { isSameVersion(as: $0) } }

    /// Returns whether both validators name the same version, with a weak comparison of tags. Returns `nil` if they
    /// have no comparable values.
    func isSameVersion(as other: Validator) -> Bool? {
        if let mine = entityTag, let theirs = other.entityTag { return mine.opaqueTag == theirs.opaqueTag }
        if let mine = lastModified, let theirs = other.lastModified { return mine == theirs }
        return nil
    }
}

extension String {
    fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
