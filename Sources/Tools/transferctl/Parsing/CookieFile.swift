// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferFiles
import TransferModel

/// The cookies of a file in Netscape's format, as browsers' extensions, curl, and wget write it.
struct CookieFile {
    private let cookies: [Cookie]

    /// Parses the text of a file.
    ///
    /// - Parameter name: The name of the file, for error messages.
    /// - Throws: `UsageError` that names the line, and never a value.
    init(_ text: String, name: String) throws {
        var cookies: [Cookie] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            // A browser marks cookies that scripts must not read in this way.
            let line = line.hasPrefix("#HttpOnly_") ? line.dropFirst(10) : line
            guard !line.allSatisfy(\.isWhitespace), !line.hasPrefix("#") else { continue }
            guard let cookie = Cookie(line: line) else {
                throw UsageError(
                    "\(name):\(index + 1): not a line of a cookie file; use seven fields separated by tabs (Netscape's "
                        + "format)")
            }
            cookies.append(cookie)
        }
        self.cookies = cookies
    }

    /// Reads the file at `path`.
    ///
    /// - Throws: `UsageError` if the file cannot be read or has an invalid line.
    init(path: String) throws { try self.init(TextFile.read(path, option: "cookies"), name: path) }

    /// Returns the cookies of a URL's server that have not expired, whatever their path. The path of each request
    /// decides later, because a redirect may lead to another one.
    func cookies(forServerOf url: String, now: WallTime) -> [Cookie] {
        let host = URLReference(url).host
        return cookies.filter { $0.isMeant(forHost: host) && $0.isValid(at: now.secondsSinceEpoch) }
    }
}
