// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Measures the first builds that a newcomer waits for, from a fresh clone of this package's last commit, in a scratch
/// folder of its own:
///
/// - `app`: an app that depends on `BackgroundTransfer` alone, without traits: `swift build`.
/// - `core`: a program that depends on `TransferScheduling` alone, without traits.
/// - `embedded`: a program that depends on `BackgroundTransferEmbedded`, with the trait `Engine`.
/// - `transferctl`: the build of `.ci/demo`: `swift build -c release --product transferctl --traits Tools -Xswiftc -Onone`.
///
/// SwiftPM's cache of downloaded packages is used as it is, so the time of a first download is missing. The time to
/// check them out is included. The peer is an older checkout, named by `--with before=FOLDER`, built as its own
/// `.ci/demo` builds it.
enum FirstBuild {
    /// A program that depends on one product.
    private struct App {
        var product: String
        var traits: [String] = []
        /// Files that the program should not have to compile, by a part of their paths.
        var unwanted = ["GRDB", "SQLite", "NIO", "BoringSSL", ".cc.o", ".cpp.o", "TOMLKit", "Metrics"]
    }

    /// The builds with their limits of time in seconds. A build without a product is that of the demo.
    private static let builds: [(name: String, app: App?, bar: Double)] = [
        ("app", App(product: "BackgroundTransfer"), 60),
        ("core", App(product: "TransferScheduling"), 60),
        (
            "embedded",
            App(
                product: "BackgroundTransferEmbedded", traits: ["Engine"],
                unwanted: [
                    "PolicyLab", "RealModule", "TOMLKit", "ArgumentParser", "FlyingFox", "Rainbow", "CurlTransport",
                ]),
            180
        ),
        ("transferctl", nil, 180),
    ]

    @Sendable static func measure(_ options: Options) throws -> [BenchmarkResult] {
        guard let swift = Command.find("swift"), let git = Command.find("git") else {
            throw BenchmarkError("swift or git is not in PATH")
        }
        let folder = try WorkFolder(in: options.diskFolder, room: 4 << 30)
        let root = URL(fileURLWithPath: #filePath).appending(path: "../../../../..").standardizedFileURL.path
        var results: [BenchmarkResult] = []
        for (name, app, bar) in builds {
            var costs: [String: [Command.Cost]] = [:]
            let rounds = options.isQuick ? 1 : 3
            for _ in 0..<rounds {
                for (side, source) in [("ours", root), ("before", options.paths["before"])] {
                    guard let source else { continue }
                    let clone = "\(folder.path)/\(name)-\(side)"
                    _ = try Command(program: git, arguments: ["clone", "--quiet", source, "\(clone)/package"]).run()
                    let arguments = try app.map { try makeApp($0, in: clone) } ?? programArguments(in: clone)
                    let cost = try Command(
                        program: swift, arguments: ["build", "--scratch-path", "\(clone)/build"] + arguments
                    ).run()
                    costs[side, default: []].append(cost)
                    let compiled = Self.compiled(in: "\(clone)/build")
                    logMessage("first-build \(name), \(side): \(compiled.count) objects: \(counts(compiled))")
                    if let app, side == "ours" { try check(compiled, of: app) }
                    try FileManager.default.removeItem(atPath: clone)
                }
            }
            let units: [(String, (Command.Cost) -> Double, Double?)] = [
                ("s", \.wall, bar), ("s of processor time", \.cpu, nil),
            ]
            results += units.map { unit, value, bar in
                BenchmarkResult(
                    name: "first-build \(name)", ours: costs["ours"].flatMap { Spread($0.map(value)) }, unit: unit,
                    peer: options.paths["before"].map { _ in "before" },
                    theirs: costs["before"].flatMap { Spread($0.map(value)) },
                    bar: bar, isBarAbsolute: true)
            }
        }
        return results
    }

    /// Creates an app beside the clone, and returns the arguments that build it.
    private static func makeApp(_ product: App, in folder: String) throws -> [String] {
        let app = "\(folder)/app"
        try FileManager.default.createDirectory(atPath: "\(app)/Sources/app", withIntermediateDirectories: true)
        // An older package without traits refuses a list of them.
        let traits = declaresTraits(in: folder) ? ", traits: \(product.traits)" : ""
        try Data("import \(product.product)\n".utf8).write(to: URL(filePath: "\(app)/Sources/app/main.swift"))
        try Data(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "app",
                dependencies: [.package(name: "background-transfer", path: "\(folder)/package"\(traits))],
                targets: [
                    .executableTarget(
                        name: "app",
                        dependencies: [.product(name: "\(product.product)", package: "background-transfer")])
                ])
            """.utf8
        ).write(to: URL(filePath: "\(app)/Package.swift"))
        return ["--package-path", app]
    }

    /// Returns the arguments that build the program of the demo.
    private static func programArguments(in folder: String) -> [String] {
        let traits = declaresTraits(in: folder) ? ["--traits", "Tools"] : []
        let demo = (try? String(contentsOfFile: "\(folder)/package/.ci/demo", encoding: .utf8)) ?? ""
        let optimization = demo.contains("-Onone") ? ["-Xswiftc", "-Onone"] : []
        return ["--package-path", "\(folder)/package", "-c", "release", "--product", "transferctl"] + traits
            + optimization
    }

    private static func declaresTraits(in folder: String) -> Bool {
        let manifest = (try? String(contentsOfFile: "\(folder)/package/Package.swift", encoding: .utf8)) ?? ""
        return manifest.contains(".trait(")
    }

    /// Returns the object files below a folder.
    private static func compiled(in folder: String) -> [String] {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".o") }
    }

    /// Returns the number of object files of each target, the largest first.
    private static func counts(_ compiled: [String]) -> String {
        let targets = compiled.compactMap { $0.split(separator: "/").first { $0.hasSuffix(".build") }?.dropLast(6) }
        let counts = Dictionary(grouping: targets) { $0 }.mapValues(\.count)
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }

    private static func check(_ compiled: [String], of app: App) throws {
        let found = compiled.filter { path in app.unwanted.contains { path.contains("/\($0)") || path.hasSuffix($0) } }
        guard found.isEmpty, !compiled.isEmpty else {
            throw BenchmarkError("a program on \(app.product) compiles \(found.first ?? "nothing")")
        }
    }
}
