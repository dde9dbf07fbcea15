import Foundation
import Keepsake

/// Runs an example by its name, or all of them: `swift run KeepsakeExamples banana`.
@main
struct Examples {
  static let all: [(name: String, about: String, run: @Sendable (Scene) async throws -> Void)] = [
    ("banana", "a tool makes images, its folder is swept, another machine shows them", banana),
    ("cup", "a router, an image creator and a chat share one conversation", cup),
    ("itinerary", "a structured answer streams, and survives a crash", itinerary),
    ("portrait", "a character's portrait is made after its description, once", portrait),
    ("dream", "a chain from a dream to its picture, resumed half-way", dream),
    ("meeting", "a laptop and a phone part, and meet again", meeting),
    ("workers", "three workers of a service share their conversations, and one is lost", workers),
  ]

  static func main() async throws {
    let wanted = Set(CommandLine.arguments.dropFirst())
    guard wanted.isSubset(of: all.map(\.name)) else {
      print("usage: KeepsakeExamples [\(all.map(\.name).joined(separator: "|"))]…")
      for example in all { print("  \(example.name): \(example.about)") }
      exit(64)
    }
    for example in all where wanted.isEmpty || wanted.contains(example.name) {
      print("— \(example.name): \(example.about)")
      try await Scene.play(example.run) { print($0) }
      print()
    }
  }
}
