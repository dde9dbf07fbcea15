#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  @testable import KeepsakeCommand

  @Suite("Databases with random damage")
  struct DatabaseFuzzTests {
    /// `KEEPSAKE_FUZZ=2000` does as many rounds; `KEEPSAKE_FUZZ_SEED` does those of a run again.
    private static func number(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test func `E6: random damage to a database ends no command`() async throws {
      let store = try await FullStore()
      defer { withExtendedLifetime(store) {} }
      let run = DamagedRun(in: store.folder.url)
      let rounds = Self.number("KEEPSAKE_FUZZ") ?? 6
      let seed = Self.number("KEEPSAKE_FUZZ_SEED") ?? Int.random(in: 0..<1 << 32)
      let path = store.folder.url.path
      // Where one round ends the process, the rest is tried all the same.
      for _ in 0..<20 where run.lines.last != "DONE" {
        await #expect(processExitsWith: .success, "ended by \(run.lines.last ?? "nothing")") {
          [path = path as String, rounds = rounds as Int, seed = seed as Int] in
          try await Self.attack(in: URL(filePath: path), rounds: rounds, seed: seed)
        }
      }
      #expect(run.lines.last == "DONE", "seed \(seed), ended by \(run.lines.last ?? "nothing")")
      let found = run.lines.count { $0.hasPrefix("FOUND") }
      print("E6: seed \(seed), \(rounds) rounds, verify found damage in \(found)")
      try run.keep()
    }

    private static func attack(in folder: URL, rounds: Int, seed: Int) async throws {
      let run = DamagedRun(in: folder)
      let known = Set(run.lines.map { $0.prefix { $0 != ":" } })
      for round in 0..<rounds {
        let name = "seed \(seed) round \(round)"
        guard !known.contains(name[...]) else { continue }
        var random = Noise(state: UInt64(seed) << 32 | UInt64(round))
        let verdict = try await run.attack(name) { store in try damage(store, &random) }
        if verdict != .done { try run.note("FOUND \(name)") }
      }
      try run.note("DONE")
    }

    /// Changes 1 to 100 bytes of the database.
    private static func damage(_ store: URL, _ random: inout Noise) throws {
      let file = store.appending(path: "store.sqlite")
      var content = try Data(contentsOf: file)
      for _ in 0..<Int.random(in: 1...100, using: &random) {
        var place = content.indices.randomElement(using: &random) ?? 0
        // The headers of the file and its pages are small, and most hangs on them.
        if Int.random(in: 0..<4, using: &random) == 0 { place = place / 4096 * 4096 + place % 128 }
        content[place] =
          switch Int.random(in: 0..<4, using: &random) {
          case 0: 0
          case 1: 0xFF
          case 2: content[place] ^ 1 << UInt8.random(in: 0..<8, using: &random)
          default: UInt8.random(in: 0...255, using: &random)
          }
      }
      try content.write(to: file)
    }
  }

  /// The same numbers for the same seed, on every machine (splitmix64).
  struct Noise: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return value ^ value >> 31
    }
  }
#endif
