// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Keepsake",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Keepsake", targets: ["Keepsake"]),
    .library(name: "KeepsakeFormats", targets: ["KeepsakeFormats"]),
    .library(name: "KeepsakeViewer", targets: ["KeepsakeViewer"]),
    .library(name: "KeepsakeObjects", targets: ["KeepsakeObjects"]),
    .library(name: "KeepsakePostgres", targets: ["KeepsakePostgres"]),
    // Programs that only work on this package are targets without a product; each is built by the name of its target.
    .executable(name: "keepsake", targets: ["KeepsakeMain"]),
  ],
  targets: [
    .systemLibrary(
      name: "CKeepsakeSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CKeepsakeCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    // Calls of the system that Swift's module of the C library lacks.
    .systemLibrary(name: "CKeepsakeSockets"),
    // It has no pkg-config: its header and library are where the system's are, also on Apple platforms.
    .systemLibrary(name: "CKeepsakeZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "KeepsakeFiles",
      dependencies: [
        "CKeepsakeSockets", "CKeepsakeZlib",
        .target(name: "CKeepsakeCrypto", condition: .when(platforms: [.linux])),
      ]),
    .target(name: "KeepsakeHTTP", dependencies: ["KeepsakeFiles"]),
    .target(name: "KeepsakeSQLite", dependencies: ["CKeepsakeSQLite", "KeepsakeFiles"]),
    .target(
      name: "KeepsakeMigrations", path: "migrations", sources: ["Migrations.swift"],
      resources: [
        .embedInCode("0001-store.sql"), .embedInCode("0002-overlapping-turns.sql"),
        .embedInCode("0003-attachments-by-state.sql"),
        .embedInCode("0004-seen-files.sql"),
        .embedInCode("0005-grown-files.sql"),
        .embedInCode("0006-streams.sql"), .embedInCode("0007-packed-spans.sql"),
        .embedInCode("0008-larger-segments.sql"), .embedInCode("0009-packed-pieces.sql"),
        .embedInCode("0010-hubs.sql"),
        .embedInCode("0011-shared-stores.sql"),
        .embedInCode("0012-peers.sql"),
        .embedInCode("0013-hub-sessions.sql"),
      ]),
    .target(
      name: "Keepsake", dependencies: ["KeepsakeFiles", "KeepsakeSQLite", "KeepsakeMigrations"]),
    // It has no pkg-config: that would link the library, which is loaded when a hub in a bucket is opened.
    .systemLibrary(name: "CKeepsakeCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "KeepsakeObjects",
      dependencies: [
        "Keepsake", "KeepsakeFiles",
        .target(name: "CKeepsakeCurl", condition: .when(platforms: [.linux])),
      ]),
    .target(
      name: "KeepsakeFormats",
      dependencies: [
        "Keepsake", "KeepsakeViewer", "KeepsakeSQLite", "KeepsakeFiles", "KeepsakeArchive",
      ]),
    // It has no pkg-config: that would link the library, which is loaded when an archive is read.
    .systemLibrary(name: "CKeepsakeArchive", providers: [.apt(["libarchive-dev"])]),
    .target(
      name: "KeepsakeArchive",
      dependencies: [
        "KeepsakeFiles", .target(name: "CKeepsakeArchive", condition: .when(platforms: [.linux])),
      ]),
    // It has no pkg-config: that would link the library, which is loaded when a hub in PostgreSQL is opened.
    .systemLibrary(name: "CKeepsakePostgres", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "KeepsakePostgres",
      dependencies: [
        "Keepsake", "KeepsakeFiles",
        .target(name: "CKeepsakePostgres", condition: .when(platforms: [.linux])),
      ]),
    // Where the library is a part of the system's packages; elsewhere Markdown is shown as the text that it is.
    .systemLibrary(
      name: "CKeepsakeMarkdown", pkgConfig: "libcmark-gfm",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
    .target(
      name: "KeepsakeMarkdown",
      dependencies: [
        "KeepsakeFiles", .target(name: "CKeepsakeMarkdown", condition: .when(platforms: [.linux])),
      ]),
    .target(
      name: "KeepsakeViewer", dependencies: ["Keepsake", "KeepsakeFiles", "KeepsakeMarkdown"],
      resources: [.embedInCode("page.css"), .embedInCode("index.css"), .embedInCode("page.js")]),
    .target(name: "KeepsakeMCP", dependencies: ["Keepsake", "KeepsakeFiles"]),
    .target(
      name: "KeepsakeServer",
      dependencies: [
        "Keepsake", "KeepsakeFormats", "KeepsakeViewer", "KeepsakeMCP", "KeepsakeHTTP",
        "KeepsakeFiles",
      ],
      resources: [
        .embedInCode("Assets/acting.js"), .embedInCode("Assets/app.css"),
        .embedInCode("Assets/base.js"),
        .embedInCode("Assets/find.js"), .embedInCode("Assets/keys.js"),
        .embedInCode("Assets/list.js"),
        .embedInCode("Assets/live.js"), .embedInCode("Assets/outline.js"),
        .embedInCode("Assets/page.js"),
        .embedInCode("Assets/ranges.js"), .embedInCode("Assets/search.js"),
        .embedInCode("Assets/session.js"),
      ]),
    .target(
      name: "KeepsakeCommand",
      dependencies: [
        "Keepsake", "KeepsakeFormats", "KeepsakeServer", "KeepsakeMCP", "KeepsakeHTTP",
        "KeepsakeFiles", "KeepsakeObjects", "KeepsakePostgres",
      ]),
    // Not in Sources/keepsake: where file names have no case that folder is Sources/Keepsake.
    .executableTarget(name: "KeepsakeMain", dependencies: ["KeepsakeCommand", "KeepsakeFiles"]),
    .executableTarget(
      name: "KeepsakeExamples", dependencies: ["Keepsake", "KeepsakeCommand"], path: "Examples"),
    // What tools/crash starts and kills.
    .executableTarget(
      name: "KeepsakeCrashChild", dependencies: ["Keepsake", "KeepsakeSQLite", "KeepsakeFiles"],
      path: "tools/lib/crash/child"),
    .target(
      name: "KeepsakeYardstick",
      dependencies: [
        "CKeepsakeSQLite", .target(name: "CKeepsakeCrypto", condition: .when(platforms: [.linux])),
      ],
      path: "tools/benchmarks/Yardstick",
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    .executableTarget(
      name: "KeepsakeYardstickAppend", dependencies: ["KeepsakeYardstick"],
      path: "tools/benchmarks/YardstickAppend"),
    // Options, figures and tables of KeepsakeBench and KeepsakeHubBench.
    .target(name: "KeepsakeBenchReport", path: "tools/benchmarks/BenchReport"),
    .executableTarget(
      name: "KeepsakeBench",
      dependencies: [
        "Keepsake", "KeepsakeSQLite", "KeepsakeMigrations", "KeepsakeYardstick",
        "KeepsakeBenchReport", "KeepsakeTestSupport",
      ],
      path: "tools/benchmarks/KeepsakeBench"),
    .target(
      name: "KeepsakeHubYardstick",
      dependencies: [.target(name: "CKeepsakePostgres", condition: .when(platforms: [.linux]))],
      path: "tools/benchmarks/HubYardstick",
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))]),
    // Stores that meet in a database, against the same statements in plain C.
    .executableTarget(
      name: "KeepsakeHubBench",
      dependencies: [
        "Keepsake", "KeepsakePostgres", "KeepsakeFiles", "KeepsakeBenchReport",
        "KeepsakeHubYardstick",
      ],
      path: "tools/benchmarks/HubBench"),
    // Serves answers of many kinds, to be measured and tested from outside.
    .executableTarget(
      name: "KeepsakeHTTPProbe", dependencies: ["KeepsakeHTTP", "KeepsakeFiles"],
      path: "tools/benchmarks/HTTPProbe"),
    .target(
      name: "KeepsakeTestSupport", dependencies: ["KeepsakeFiles"],
      path: "Tests/KeepsakeTestSupport"),
    // The checks of a hub, for the tests of each kind of hub.
    .target(
      name: "KeepsakeHubConformance",
      dependencies: ["Keepsake", "KeepsakeFiles", "KeepsakeTestSupport"],
      path: "Tests/KeepsakeHubConformance"),
    .testTarget(name: "KeepsakeFilesTests", dependencies: ["KeepsakeFiles"]),
    // KeepsakeHTTPProbe is a program that its tests start.
    .testTarget(
      name: "KeepsakeHTTPTests",
      dependencies: ["KeepsakeHTTP", "KeepsakeFiles", "KeepsakeTestSupport", "KeepsakeHTTPProbe"]),
    .testTarget(
      name: "KeepsakeSQLiteTests",
      dependencies: ["KeepsakeSQLite", "KeepsakeFiles", "KeepsakeTestSupport"]),
    .testTarget(
      name: "KeepsakeTests",
      dependencies: [
        "Keepsake", "KeepsakeMigrations", "KeepsakeSQLite", "KeepsakeFiles", "KeepsakeTestSupport",
        "KeepsakeHubConformance",
      ]),
    .testTarget(
      name: "KeepsakeFormatsTests",
      dependencies: [
        "KeepsakeFormats", "Keepsake", "KeepsakeSQLite", "KeepsakeArchive", "KeepsakeFiles",
        "KeepsakeTestSupport",
      ]),
    .testTarget(
      name: "KeepsakeCommandTests",
      dependencies: [
        "KeepsakeCommand", "KeepsakeFormats", "Keepsake", "KeepsakeMigrations", "KeepsakeSQLite",
        "KeepsakeFiles", "KeepsakeTestSupport",
      ]),
    .testTarget(
      name: "KeepsakeMCPTests",
      dependencies: ["KeepsakeMCP", "Keepsake", "KeepsakeFiles", "KeepsakeTestSupport"]),
    .testTarget(
      name: "KeepsakeObjectsTests",
      dependencies: [
        "KeepsakeObjects", "Keepsake", "KeepsakeFiles", "KeepsakeTestSupport",
        "KeepsakeHubConformance",
      ]),
    .testTarget(
      name: "KeepsakePostgresTests",
      dependencies: [
        "KeepsakePostgres", "Keepsake", "KeepsakeFiles", "KeepsakeTestSupport",
        "KeepsakeHubConformance",
        .target(name: "CKeepsakePostgres", condition: .when(platforms: [.linux])),
      ]),
    .testTarget(name: "KeepsakeMarkdownTests", dependencies: ["KeepsakeMarkdown"]),
    .testTarget(
      name: "KeepsakeArchiveTests",
      dependencies: ["KeepsakeArchive", "KeepsakeFiles", "KeepsakeTestSupport"]),
    .testTarget(
      name: "KeepsakeViewerTests",
      dependencies: ["KeepsakeViewer", "Keepsake", "KeepsakeFiles", "KeepsakeTestSupport"]),
    // The program `keepsake` is one that its tests start.
    .testTarget(
      name: "KeepsakeServerTests",
      dependencies: [
        "KeepsakeServer", "KeepsakeHTTP", "Keepsake", "KeepsakeFiles", "KeepsakeTestSupport",
        "KeepsakeMain",
      ]),
    .testTarget(
      name: "KeepsakeExamplesTests", dependencies: ["KeepsakeExamples", "KeepsakeFiles"]),
  ]
)

#if os(Linux)
  // Apple's framework is not here: a stand-in takes its place, so that the adapter is compiled and tested. No product.
  let adapterDependencies: [Target.Dependency] = ["FoundationModels"]
  package.targets += [
    // Has calls of the C library fail, in a program of its own, which FaultTests starts.
    .target(
      name: "KeepsakeFaultyCalls", path: "tools/lib/faults/FaultyCalls",
      cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(
      name: "KeepsakeFaultChild", dependencies: ["Keepsake", "KeepsakeFaultyCalls"],
      path: "tools/lib/faults/child"),
    .target(name: "FoundationModels", path: "tools/foundation-models"),
    // Counts work by standing in for calls of the C library: in a program of its own, which WorkTests starts.
    .target(
      name: "KeepsakeWorkMeter", dependencies: ["CKeepsakeSQLite"],
      path: "tools/benchmarks/WorkMeter",
      cSettings: [.define("_GNU_SOURCE")]),
    .executableTarget(
      name: "KeepsakeWork", dependencies: ["Keepsake", "KeepsakeFormats", "KeepsakeWorkMeter"],
      path: "tools/benchmarks/KeepsakeWork"),
    .testTarget(name: "KeepsakeWorkTests", dependencies: ["KeepsakeTestSupport"]),
    .testTarget(
      name: "KeepsakeFoundationModelsTests",
      dependencies: [
        "KeepsakeFoundationModels", "FoundationModels", "Keepsake", "KeepsakeFiles",
        "KeepsakeSQLite",
        "KeepsakeTestSupport",
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
    dependencies: ["Keepsake", "KeepsakeFormats", "KeepsakeFiles"] + adapterDependencies))

// The fuzzer brings a program's beginning along: tools/fuzz asks for this target, and no other build has it.
if Context.environment["KEEPSAKE_FUZZ"] != nil {
  package.products.append(.executable(name: "keepsake-fuzz", targets: ["KeepsakeFuzz"]))
  package.targets.append(
    .executableTarget(
      name: "KeepsakeFuzz", dependencies: ["KeepsakeFormats", "Keepsake", "KeepsakeHTTP"],
      path: "tools/lib/fuzz/target", swiftSettings: [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]))
}

/// Rooms that hold raw pointers; everywhere else the language forbids them.
///
/// KeepsakeMarkdown talks to a parser in C, whose tree it walks. That has no place in a room that knows of files or of
/// SQLite, and the viewer, which holds untrusted text, is not to hold pointers to it. KeepsakeArchive talks to the library
/// in C that unpacks archives, which are as untrusted, and whose bytes no other room is to see by a pointer. KeepsakeObjects
/// talks to the library in C that speaks HTTP, which nothing but a hub in a bucket needs, and KeepsakePostgres to the one that
/// speaks with a database server, which it hands the bytes of commits and artifacts in place.
let roomsWithPointers: Set<String> = [
  "KeepsakeFiles", "KeepsakeSQLite", "KeepsakeMarkdown", "KeepsakeArchive",
  "KeepsakeObjects", "KeepsakePostgres",
]

let targetsInC: Set<String> = [
  "KeepsakeYardstick", "KeepsakeYardstickAppend", "KeepsakeHubYardstick", "KeepsakeWorkMeter",
  "KeepsakeFaultyCalls",
]

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
