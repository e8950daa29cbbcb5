// SPDX-License-Identifier: Apache-2.0
import BackgroundTransfer
import Foundation

/// Downloads a list of addresses into a folder, in the background: it hands them over and ends. The daemon starts it again,
/// with `--finish FOLDER`, once all are there; it then puts each file in its place.
///
///     batch-downloader list.txt ~/Podcasts         hands over, and ends
///     batch-downloader --progress ~/Podcasts       shows how far all of it is, until it is done
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

        // How the daemon starts this program, which has no name on the bus.
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let application = BackgroundApplication.shared
        application.relaunchCommand = [program, "--finish", folder.path]

        let downloads = Downloads(into: folder)
        // Started by the daemon: the session is made again below, hears what has happened, and the program ends.
        application.onEvents { _, done in downloads.whenAllIsTold(done) }

        switch arguments[0] {
        case "--finish":
            downloads.join()
            if !application.handleLaunch(then: { exit(0) }) { downloads.whenAllIsTold { exit(0) } }
        case "--progress":
            Task {
                do {
                    try await downloads.showProgress()
                    exit(0)
                } catch {
                    // Such as: another process has the session just now.
                    print(error)
                    exit(1)
                }
            }
        default:
            let list = try String(contentsOfFile: arguments[0], encoding: .utf8)
            let urls = list.split(whereSeparator: \.isNewline).compactMap { URL(string: String($0)) }
            downloads.add(urls)
            print("\(urls.count) handed over; --progress shows how far they are")
            return
        }
        dispatchMain()
    }
}
