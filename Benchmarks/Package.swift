// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Measures the programs as a user runs them, and the scheduling code alone, in turn with their peers. The programs are
// built from the package above. The scheduling code is linked from that package. The latency benchmarks also link the
// engine with its adapters.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "background-transfer", path: "..")],
    targets: [
        .executableTarget(
            name: "figures",
            dependencies: [
                "CAllocations", "CProcesses", "CRawStore", "CxxQueue",
                .product(name: "LinuxClock", package: "background-transfer"),
                .product(name: "PolicyLab", package: "background-transfer"),
                .product(name: "SQLiteStore", package: "background-transfer"),
                .product(name: "TransferEngine", package: "background-transfer"),
                .product(name: "TransferModel", package: "background-transfer"),
                .product(name: "TransferPolicy", package: "background-transfer"),
                .product(name: "TransferScheduling", package: "background-transfer"),
                .product(name: "TransferTesting", package: "background-transfer"),
                .product(name: "TransferWorker", package: "background-transfer"),
                .product(name: "HTTPExecutor", package: "background-transfer"),
            ],
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ]),
        // A bare event loop in C++, behind a C header.
        .target(name: "CxxQueue"),
        // Counts allocations. Its malloc replaces the malloc of the C library.
        .target(name: "CAllocations"),
        // The store's tables, written and read with the C interface of SQLite.
        .target(name: "CRawStore", linkerSettings: [.linkedLibrary("sqlite3")]),
        // One call that Swift cannot make.
        .target(name: "CProcesses"),
    ],
    cxxLanguageStandard: .cxx20
)
