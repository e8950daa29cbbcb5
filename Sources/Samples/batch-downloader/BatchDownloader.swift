// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// A program that downloads a list of URLs into a folder in the background. It submits the downloads and exits.
///
/// After all downloads have finished, the daemon starts the program again, with `--finish FOLDER`. The program then
/// moves each file to the folder.
///
///     batch-downloader list.txt ~/Podcasts         submits the downloads and exits
///     batch-downloader --progress ~/Podcasts       shows the progress of all downloads until they are done
@main
struct BatchDownloader {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 else {
            print("usage: batch-downloader LIST FOLDER, or batch-downloader --progress FOLDER")
            exit(2)
        }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

        // The command with which the daemon starts this program, which has no bus name.
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let application = BackgroundApplication.shared
        application.relaunchCommand = [program, "--finish", folder.path]

        let downloads = Downloads(into: folder)
        // If the daemon has started the program, the session is opened again below and reports its events. The
        // program then exits.
        application.onEvents { _, done in downloads.whenEventsFinish(done) }

        switch arguments[0] {
        case "--finish":
            downloads.join()
            if !application.handleLaunch(then: { exit(0) }) { downloads.whenEventsFinish { exit(0) } }
        case "--progress":
            Task {
                do {
                    try await downloads.showProgress()
                    exit(0)
                } catch {
                    // For example: another process is using the session.
                    print(error)
                    exit(1)
                }
            }
        default:
            let list = try String(contentsOfFile: arguments[0], encoding: .utf8)
            let urls = list.split(whereSeparator: \.isNewline).compactMap { URL(string: String($0)) }
            downloads.add(urls)
            print("\(urls.count) downloads submitted; --progress shows their progress")
            return
        }
        dispatchMain()
    }
}
