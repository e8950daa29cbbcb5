// SPDX-License-Identifier: Apache-2.0

/// The desktop entry of the program, and its icon (Desktop Entry Specification 1.5, Icon Theme Specification 0.13).
struct DesktopFiles {
    /// The folder for data of the user, `$XDG_DATA_HOME`.
    let data: String

    private var entryPath: String { data + "/applications/transferd.desktop" }
    private var iconPath: String { data + "/icons/hicolor/scalable/apps/transferd.svg" }

    /// The paths of the files.
    var paths: [String] { [entryPath, iconPath] }

    /// Returns the path and the text of each file.
    ///
    /// - Parameter program: The path of `transferctl`.
    func files(program: String) -> [(path: String, text: String)] {
        [(entryPath, Self.entry(program: program)), (iconPath, Self.icon)]
    }

    /// Returns the desktop entry, which shows the transfers in a terminal.
    static func entry(program: String) -> String {
        """
        [Desktop Entry]
        Type=Application
        Version=1.4
        Name=Background Transfers
        Comment=Show downloads and uploads, and why they wait
        Exec=\(quoted(program)) watch
        Icon=transferd
        Terminal=true
        Categories=Network;FileTransfer;ConsoleOnly;
        Keywords=download;upload;transfer;

        """
    }

    /// Returns a word of `Exec` in quotes.
    private static func quoted(_ word: String) -> String {
        let escaped = word.reduce(into: "") { result, character in
            switch character {
            case "\\": result += #"\\\\"#
            case "\"", "`", "$": result += #"\\"# + String(character)
            case "%": result += "%%"
            default: result.append(character)
            }
        }
        return "\"" + escaped + "\""
    }

    /// An arrow down and an arrow up over a line.
    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
          <rect x="4" y="4" width="56" height="56" rx="12" fill="#1c5fb8"/>
          <g fill="none" stroke="#ffffff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round">
            <path d="M23 14v26M13 31l10 10 10-10"/>
            <path d="M42 40V18M33 26l9-9 9 9" opacity="0.75"/>
            <path d="M14 51h36"/>
          </g>
        </svg>

        """
}
