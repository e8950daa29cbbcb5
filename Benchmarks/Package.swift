// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// Measures the programs as a user runs them, side by side with their peers in one run. Needs nothing but the toolchain;
// the programs themselves are built from the package above.
let package = Package(
    name: "benchmarks",
    targets: [
        .executableTarget(
            name: "figures",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
            ])
    ]
)
