// SPDX-License-Identifier: Apache-2.0
import HTTPSyntax
import ToolSupport
import TransferFiles
import TransferModel

/// The cookies of a file in Netscape's format, as browsers' extensions, curl, wget, yt-dlp, and Python write it.
struct CookieFile {
    private let cookies: [Cookie]
    /// Descriptions of the lines that are no cookies. They name the line, and never a value.
    let faults: [String]

    /// Parses the text of a file. Lines that are no cookies are skipped.
    ///
    /// - Parameter name: The name of the file, for the descriptions of faults.
    init(_ text: String, name: String) {
        var (cookies, faults) = ([Cookie](), [String]())
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            // A browser marks cookies that scripts must not read in this way.
            let line = line.hasPrefix("#HttpOnly_") ? line.dropFirst(10) : line
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            if let cookie = Cookie(line: line) {
                cookies.append(cookie)
            } else {
                faults.append(
                    "\(name):\(index + 1): not a line of a cookie file, which has seven fields separated by tabs")
            }
        }
        (self.cookies, self.faults) = (cookies, faults)
    }

    /// Reads the file at `path`.
    ///
    /// - Throws: `UsageError` if the file cannot be read.
    init(path: String) throws {
        self.init(try TextFile.read(path, option: "cookies"), name: path == "-" ? "standard input" : path)
    }

    /// Returns the cookies of a URL's server that have not expired, whatever their path. The path of each request
    /// decides later, because a redirect may lead to another one.
    func cookies(forServerOf url: String, now: WallTime) -> [Cookie] {
        let host = URLReference(url).host
        return cookies.filter { $0.isMeant(forHost: host) && $0.isValid(at: now.secondsSinceEpoch) }
    }
}
