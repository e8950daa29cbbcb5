// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures
import Testing

/// Resolves the packages of a small package that depends on this one, with SwiftPM and without a network.
@Suite("The packages that a dependent package resolves", .timeLimit(.minutes(10)))
struct ResolvedPackagesTests {
    @Test("An app that uses only the client resolves only the packages that the client compiles")
    func client() async throws {
        let dependent = try await DependentPackage(product: "BackgroundTransfer", traits: [])
        #expect(try await dependent.resolved() == dependent.compiled)
        #expect(dependent.compiled.contains("swift-log"))
    }

    @Test("A program that embeds an engine resolves no packages of the programs")
    func embedded() async throws {
        let dependent = try await DependentPackage(product: "BackgroundTransferEmbedded", traits: ["Engine"])
        let others = Set(dependent.manifest.products.flatMap { dependent.manifest.packages(compiledBy: $0.name) })
            .subtracting(dependent.compiled)
        #expect(others.isSuperset(of: ["swift-argument-parser", "swift-numerics", "tomlkit"]))
        let resolved = try await dependent.resolved()
        #expect(resolved.isDisjoint(with: others))
        #expect(resolved.isSuperset(of: dependent.compiled))
    }
}

/// A package that depends on one product of this package, in a temporary folder.
private struct DependentPackage {
    /// The packages of which the product's targets use a product, by identity.
    let compiled: Set<String>
    let manifest: Manifest
    private let folder: TemporaryFolder
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    init(product: String, traits: [String]) async throws {
        folder = try TemporaryFolder()
        let dump = try await Self.swift(["--package-path", Self.root, "dump-package"], in: folder)
        manifest = try JSONDecoder().decode(Manifest.self, from: dump)
        compiled = manifest.packages(compiledBy: product)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.swiftpm/configuration", withIntermediateDirectories: true)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/Sources/App", withIntermediateDirectories: true)
        try Data("import \(product)\n".utf8).write(to: URL(filePath: folder.path + "/Sources/App/main.swift"))
        try Data(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(
                name: "App",
                dependencies: [.package(name: "this", path: "\(Self.root)", traits: \(traits))],
                targets: [
                    .executableTarget(name: "App", dependencies: [.product(name: "\(product)", package: "this")])
                ])
            """.utf8
        ).write(to: URL(filePath: folder.path + "/Package.swift"))
        // SwiftPM takes the packages from the checkouts of this package's own build. Manifests name a package with or
        // without a suffix.
        let mirrors = ((try? Self.pins(in: Self.root)) ?? []).flatMap { pin in
            let address = pin.location.hasSuffix(".git") ? String(pin.location.dropLast(4)) : pin.location
            let checkout = Self.root + "/.build/checkouts/" + (address as NSString).lastPathComponent
            let exists = FileManager.default.fileExists(atPath: checkout)
            return exists ? [address, address + ".git"].map { ["original": $0, "mirror": checkout] } : []
        }
        try JSONSerialization.data(withJSONObject: ["object": mirrors, "version": 1])
            .write(to: URL(filePath: folder.path + "/.swiftpm/configuration/mirrors.json"))
    }

    /// Resolves the package's dependencies, and returns the identities of the resolved packages.
    func resolved() async throws -> Set<String> {
        _ = try await Self.swift(["--package-path", folder.path, "resolve"], in: folder)
        return Set(try Self.pins(in: folder.path).map(\.identity))
    }

    private static func pins(in folder: String) throws -> [Pins.Pin] {
        let file = try Data(contentsOf: URL(filePath: folder + "/Package.resolved"))
        return try JSONDecoder().decode(Pins.self, from: file).pins
    }

    /// Runs `swift package`, and returns its output.
    private static func swift(_ arguments: [String], in folder: TemporaryFolder) async throws -> Data {
        let output = folder.path + "/output-\(UUID().uuidString)"
        let own = ["--scratch-path", folder.path + "/build", "--cache-path", folder.path + "/cache"]
        let child = try ChildProcess(
            "/usr/bin/env", ["swift", "package"] + own + arguments, output: output, errors: output + ".errors")
        let status = try await child.wait(within: 300)
        guard status == 0 else {
            let errors = (try? String(contentsOfFile: output + ".errors", encoding: .utf8)) ?? ""
            throw FixtureError("swift package \(arguments) failed with \(status): \(errors)")
        }
        return try Data(contentsOf: URL(filePath: output))
    }

    /// The contents of `Package.resolved`.
    private struct Pins: Decodable {
        struct Pin: Decodable {
            var identity: String
            var location: String
        }

        var pins: [Pin]
    }
}

/// The parts of a manifest that name other packages, as `swift package dump-package` prints them.
private struct Manifest: Decodable {
    struct Product: Decodable {
        var name: String
        var targets: [String]
    }

    struct Target: Decodable {
        var name: String
        var dependencies: [Dependency]
    }

    /// A target of this package, or a product of another package.
    struct Dependency: Decodable {
        var target: String?
        var package: String?

        private enum Keys: CodingKey { case byName, target, product }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let key = try #require(container.allKeys.first)
            // The values are arrays: the name, and for a product the package.
            var values = try container.nestedUnkeyedContainer(forKey: key)
            let name = try values.decode(String.self)
            if key == .product { package = try values.decode(String.self).lowercased() } else { target = name }
        }
    }

    var products: [Product]
    var targets: [Target]

    /// Returns the identities of the packages of which the product's targets use a product.
    func packages(compiledBy product: String) -> Set<String> {
        let byName = Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0) })
        var open = products.first { $0.name == product }?.targets ?? []
        var (seen, found): (Set<String>, Set<String>) = ([], [])
        while let name = open.popLast() {
            guard let target = byName[name], seen.insert(name).inserted else { continue }
            open += target.dependencies.compactMap(\.target)
            found.formUnion(target.dependencies.compactMap(\.package))
        }
        return found
    }
}
