// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// The package reads as the architecture: one helper per layer, innermost first. Imports point inward only;
// Tests/TidyTests holds every folder to its allow-list. Sources/README.md tells what each layer is for.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Values and pure functions: no Foundation, no clock, no file, no task.
func core(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Core/\(name)", swiftSettings: settings)
}

/// The one actor that carries decisions out, and the ports it needs.
func engine(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Engine/\(name)", swiftSettings: settings)
}

/// One port each, never importing one another (the GLib bridge excepted).
func adapter(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Adapters/\(name)", swiftSettings: settings)
}

/// Fakes and the contract that each port's implementations must pass.
func testing(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/Testing/\(name)", swiftSettings: settings)
}

/// Composition roots: the only places where layers meet.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Sources/Tools/\(name)", swiftSettings: settings)
}

/// Small programs that tests start, to kill them or to run several side by side.
func child(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "Tests/Support/\(name)", swiftSettings: settings)
}

/// Test targets mirror Sources.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", resources: resources, swiftSettings: settings)
}

let package = Package(
    name: "background-transfer",
    products: [
        .library(name: "TransferPolicy", targets: ["TransferPolicy"]),
        .library(name: "TransferScheduling", targets: ["TransferScheduling"]),
        .library(name: "TransferEngine", targets: ["TransferEngine"]),
        .library(name: "TransferTesting", targets: ["TransferTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
    ],
    targets: [
        // Core
        core("TransferPolicy"),
        core("TransferScheduling", ["TransferPolicy"]),
        // Engine
        engine("TransferEngine", ["TransferPolicy", "TransferScheduling"]),
        // Adapters
        adapter(
            "SQLiteStore", ["TransferPolicy", "TransferEngine", .product(name: "GRDB", package: "GRDB.swift")]),
        // Testing
        testing("TransferTesting", ["TransferPolicy", "TransferScheduling", "TransferEngine"]),
        // Tests
        tests("TransferPolicyTests", ["TransferPolicy"]),
        tests("TransferSchedulingTests", ["TransferPolicy", "TransferScheduling"]),
        tests("TransferEngineTests", ["TransferPolicy", "TransferScheduling", "TransferEngine", "TransferTesting"]),
        child("StoreChild", ["TransferPolicy", "TransferEngine", "SQLiteStore"]),
        tests(
            "SQLiteStoreTests",
            [
                "TransferPolicy", "TransferEngine", "SQLiteStore", "TransferTesting", "StoreChild",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests("TransferTestingTests", ["TransferPolicy", "TransferEngine", "TransferTesting"]),
        tests("TidyTests", []),
    ]
)
