// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Keepsake",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Keepsake", targets: ["Keepsake"]),
    .library(name: "KeepsakeFormats", targets: ["KeepsakeFormats"]),
    .library(name: "KeepsakeViewer", targets: ["KeepsakeViewer"]),
    .executable(name: "keepsake", targets: ["KeepsakeMain"]),
    .executable(name: "keepsake-examples", targets: ["Examples"]),
    .executable(name: "keepsake-bench", targets: ["KeepsakeBench"]),
    .executable(name: "yardstick-append", targets: ["YardstickAppend"]),
    .executable(name: "keepsake-crash-child", targets: ["CrashChild"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .target(
      name: "Files",
      dependencies: [.target(name: "CCrypto", condition: .when(platforms: [.linux]))]),
    .target(name: "SQLite", dependencies: ["CSQLite", "Files"]),
    .target(
      name: "Migrations", path: "migrations", sources: ["Migrations.swift"],
      resources: [.embedInCode("0001-store.sql"), .embedInCode("0002-overlapping-turns.sql")]),
    .target(name: "Keepsake", dependencies: ["Files", "SQLite", "Migrations"]),
    .target(name: "KeepsakeFormats", dependencies: ["Keepsake", "KeepsakeViewer", "Files"]),
    // Where the library is a part of the system's packages; elsewhere Markdown is shown as the text that it is.
    .systemLibrary(
      name: "CMarkGFM", pkgConfig: "libcmark-gfm",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
    .target(
      name: "MarkdownParsing",
      dependencies: ["Files", .target(name: "CMarkGFM", condition: .when(platforms: [.linux]))]),
    .target(
      name: "KeepsakeViewer", dependencies: ["Keepsake", "Files", "MarkdownParsing"],
      resources: [.embedInCode("page.css")]),
    .target(
      name: "KeepsakeCommand",
      dependencies: ["Keepsake", "KeepsakeFormats", "Files"]),
    // Not in Sources/keepsake: where file names have no case that folder is Sources/Keepsake.
    .executableTarget(name: "KeepsakeMain", dependencies: ["KeepsakeCommand", "Files"]),
    .executableTarget(
      name: "Examples", dependencies: ["Keepsake", "KeepsakeCommand"], path: "Examples"),
    // What tools/crash starts and kills.
    .executableTarget(
      name: "CrashChild", dependencies: ["Keepsake", "SQLite", "Files"],
      path: "tools/lib/crash/child"),
    .target(
      name: "Yardstick",
      dependencies: [
        "CSQLite", .target(name: "CCrypto", condition: .when(platforms: [.linux])),
      ],
      path: "tools/benchmarks/Yardstick",
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "YardstickAppend", dependencies: ["Yardstick"],
      path: "tools/benchmarks/YardstickAppend"),
    .executableTarget(
      name: "KeepsakeBench",
      dependencies: ["Keepsake", "SQLite", "Migrations", "Yardstick", "TestSupport"],
      path: "tools/benchmarks/KeepsakeBench"),
    .target(name: "TestSupport", dependencies: ["Files"], path: "Tests/TestSupport"),
    .testTarget(name: "FilesTests", dependencies: ["Files"]),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "Files"]),
    .testTarget(
      name: "KeepsakeTests", dependencies: ["Keepsake", "SQLite", "Files", "TestSupport"]),
    .testTarget(
      name: "KeepsakeFormatsTests",
      dependencies: ["KeepsakeFormats", "Keepsake", "Files", "TestSupport"]),
    .testTarget(
      name: "KeepsakeCommandTests",
      dependencies: [
        "KeepsakeCommand", "KeepsakeFormats", "Keepsake", "SQLite", "Files", "TestSupport",
      ]),
    .testTarget(name: "MarkdownParsingTests", dependencies: ["MarkdownParsing"]),
    .testTarget(
      name: "KeepsakeViewerTests",
      dependencies: ["KeepsakeViewer", "Keepsake", "Files", "TestSupport"]),
    .testTarget(name: "ExamplesTests", dependencies: ["Examples", "Files"]),
  ]
)

#if os(Linux)
  // Apple's framework is not here: a stand-in takes its place, so that the adapter is compiled and tested. No product.
  let adapterDependencies: [Target.Dependency] = ["FoundationModels"]
  package.products.append(.executable(name: "keepsake-work", targets: ["KeepsakeWork"]))
  package.products.append(.executable(name: "keepsake-faults", targets: ["FaultChild"]))
  package.targets += [
    // Has calls of the C library fail, in a program of its own, which FaultTests starts.
    .target(
      name: "FaultyCalls", path: "tools/lib/faults/FaultyCalls",
      cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(
      name: "FaultChild", dependencies: ["Keepsake", "FaultyCalls"],
      path: "tools/lib/faults/child"),
    .target(name: "FoundationModels", path: "tools/foundation-models"),
    // Counts work by standing in for calls of the C library: in a program of its own, which WorkTests starts.
    .target(
      name: "WorkMeter", dependencies: ["CSQLite"], path: "tools/benchmarks/WorkMeter",
      cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(
      name: "KeepsakeWork", dependencies: ["Keepsake", "KeepsakeFormats", "WorkMeter"],
      path: "tools/benchmarks/KeepsakeWork"),
    .testTarget(name: "WorkTests"),
    .testTarget(
      name: "KeepsakeFoundationModelsTests",
      dependencies: [
        "KeepsakeFoundationModels", "FoundationModels", "Keepsake", "Files", "SQLite",
        "TestSupport",
      ]),
  ]
#else
  let adapterDependencies: [Target.Dependency] = []
  package.products.append(
    .library(name: "KeepsakeFoundationModels", targets: ["KeepsakeFoundationModels"]))
#endif
package.targets.append(
  .target(
    name: "KeepsakeFoundationModels",
    dependencies: ["Keepsake", "KeepsakeFormats", "Files"] + adapterDependencies))

/// Rooms that hold raw pointers; everywhere else the language forbids them.
///
/// MarkdownParsing talks to a parser in C, whose tree it walks. That has no place in a room that knows of files or of
/// SQLite, and the viewer, which holds untrusted text, is not to hold pointers to it.
let roomsWithPointers: Set<String> = ["Files", "SQLite", "MarkdownParsing"]

let targetsInC: Set<String> = ["Yardstick", "YardstickAppend", "WorkMeter", "FaultyCalls"]

for target in package.targets where target.type != .system && !targetsInC.contains(target.name) {
  var settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .treatAllWarnings(as: .error),
  ]
  if roomsWithPointers.contains(target.name) {
    settings += [.strictMemorySafety(), .enableExperimentalFeature("Lifetimes")]
  }
  // Its JSON reader borrows the bytes that it reads (a span, no pointer).
  if target.name == "Keepsake" { settings.append(.enableExperimentalFeature("Lifetimes")) }
  target.swiftSettings = (target.swiftSettings ?? []) + settings
}
