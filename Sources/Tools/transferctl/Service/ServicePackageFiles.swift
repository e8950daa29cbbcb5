// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import ToolSupport

/// The `transferctl service package-files` command, which writes the generated files of a package. For packagers, so
/// the help does not list the command.
struct ServicePackageFiles: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "package-files",
        abstract: "Write the generated files of a package, which installs its programs in /usr/bin.",
        discussion: """
            Writes the D-Bus and systemd files, the desktop entry and its icon, manual pages, and completion scripts. The \
            programs beside this program write their own pages and scripts. Prints the paths.
            """,
        shouldDisplay: false)

    @Argument(help: .init("The folder that stands for the root of the file system.", valueName: "dir"))
    var root: String

    func run() throws {
        let files = ServiceFiles(packageRoot: try PathName.absolute(root))
        let folder = ServiceInstall.ownFolder
        try files.write(control: "/usr/bin/transferctl", daemon: "/usr/bin/transferd") { folder + "/" + $0 }
        for path in files.all {
            guard FileManager.default.fileExists(atPath: path) else {
                throw UsageError("\(path) is missing; are transferd and transferlab in \(folder)?")
            }
            Console.printPath(path)
        }
    }
}
