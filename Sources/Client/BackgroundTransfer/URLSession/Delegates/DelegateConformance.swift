// SPDX-License-Identifier: Apache-2.0

/// A check of a delegate's protocol conformances for mistakes.
///
/// Swift binds the optional methods of a delegate in the class that declares the conformance. On Apple's platforms,
/// Objective-C looks up each method when it is called.
enum DelegateConformance {
    /// Returns a warning for a delegate whose class inherits a conformance.
    ///
    /// Methods that only the subclass declares are never called, and cannot be detected at run time.
    static func warning(about delegate: any URLSessionDelegate) -> String? {
        let type = Swift.type(of: delegate)
        let inherited = protocols.compactMap { (name, conforms) -> (name: String, base: any Any.Type)? in
            guard let base = classes(of: delegate).last(where: conforms), base != type else { return nil }
            return (name, base)
        }
        guard let base = inherited.first?.base else { return nil }
        return """
            The delegate '\(type)' inherits \(inherited.map(\.name).joined(separator: ", ")) from '\(base)'. A method of \
            these protocols that '\(type)' has and '\(base)' has not is never called: implement the method in '\(base)' \
            too.
            """
    }

    /// Returns a warning for a download whose delegate cannot receive the finished file.
    static func warning(aboutDownloadsFor delegate: any URLSessionDelegate) -> String? {
        guard !(delegate is any URLSessionDownloadDelegate) else { return nil }
        return """
            The delegate '\(type(of: delegate))' does not conform to URLSessionDownloadDelegate. The files of its \
            downloads are removed when they are finished.
            """
    }

    private static let protocols: [(name: String, conforms: @Sendable (any Any.Type) -> Bool)] = [
        ("URLSessionDelegate", { $0 is any URLSessionDelegate.Type }),
        ("URLSessionTaskDelegate", { $0 is any URLSessionTaskDelegate.Type }),
        ("URLSessionDataDelegate", { $0 is any URLSessionDataDelegate.Type }),
        ("URLSessionDownloadDelegate", { $0 is any URLSessionDownloadDelegate.Type }),
    ]

    /// The class of a delegate and its superclasses, the most derived class first.
    private static func classes(of delegate: any URLSessionDelegate) -> [any Any.Type] {
        Array(sequence(first: Mirror(reflecting: delegate)) { $0.superclassMirror }.map(\.subjectType))
    }
}
