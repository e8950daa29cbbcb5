// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension ResponseHead {
    /// The version of the file as the server names it; nil where it does not.
    var version: Validator? {
        let validator = Validator(entityTag: value("ETag"), lastModified: value("Last-Modified"))
        return validator.entityTag == nil && validator.lastModified == nil ? nil : validator
    }

    /// The version where it is sure enough to put two halves together; nil forbids continuing.
    ///
    /// A strong entity tag is. A date is when it lies at least a second before the answer's own, since a file may
    /// change twice in one second (RFC 9110 §8.8.2.2).
    var continuingVersion: Validator? {
        guard !isEncoded, let version else { return nil }
        let date = version.lastModified.flatMap { text -> String? in
            guard let modified = HTTPDate.seconds(text), let now = value("Date").flatMap(HTTPDate.seconds),
                modified <= now - 1
            else { return nil }
            return text
        }
        let isStrong = version.strongTag != nil
        guard isStrong || date != nil else { return nil }
        return Validator(entityTag: version.entityTag, lastModified: date)
    }
}

extension Validator {
    /// The entity tag where two equal ones mean equal bytes.
    var strongTag: String? {
        guard let entityTag, entityTag.hasPrefix("\""), entityTag.hasSuffix("\""), entityTag.count >= 2 else {
            return nil
        }
        return entityTag
    }

    /// What `If-Range` is sent with: the strong tag, else the date.
    var ifRange: String? { strongTag ?? lastModified }

    /// Whether an answer with that head goes on where this version stopped: what names this version must be there again.
    func isContinued(by head: ResponseHead) -> Bool {
        guard ifRange != nil else { return false }
        if let entityTag, head.value("ETag") != entityTag { return false }
        if let lastModified, head.value("Last-Modified") != lastModified {
            // RFC 9110 §15.3.7 lets an answer to If-Range with a tag leave other fields out.
            return strongTag != nil && head.value("Last-Modified") == nil
        }
        return true
    }

    /// Whether both name the same version, tags compared weakly; nil where they have nothing in common to compare.
    func isSameVersion(as other: Validator) -> Bool? {
        if let mine = entityTag, let theirs = other.entityTag { return mine.opaqueTag == theirs.opaqueTag }
        if let mine = lastModified, let theirs = other.lastModified { return mine == theirs }
        return nil
    }
}

extension String {
    fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}
