// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import BackgroundTransfer

/// Tests of delegates that inherit their conformance.
extension URLSessionTests {
    private class Plain: NSObject, URLSessionDelegate, @unchecked Sendable {}
    private final class Derived: Plain, URLSessionDownloadDelegate, @unchecked Sendable {
        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {}
    }

    @Test("a delegate whose class inherits its conformance causes a warning with the remedy")
    func inherited() {
        #expect(DelegateConformance.warning(about: Plain()) == nil)
        let warning = DelegateConformance.warning(about: Derived()) ?? ""
        #expect(warning.contains("'Derived' inherits URLSessionDelegate from 'Plain'"))
        #expect(warning.contains("implement the method in 'Plain'"))
        #expect(DelegateConformance.warning(aboutDownloadsFor: Derived()) == nil)
        #expect(DelegateConformance.warning(aboutDownloadsFor: Plain())?.contains("URLSessionDownloadDelegate") == true)
    }
}
