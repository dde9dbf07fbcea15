import KeepsakeFiles
import Foundation
import Testing

@testable import KeepsakeExamples

/// Each example runs as it is, and tells what it claims to show.
@Suite("The examples")
struct ExamplesTests {
  private func told(_ example: (Scene) async throws -> Void) async throws -> String {
    let lines = Lines()
    try await Scene.play(example) { lines.add($0) }
    return lines.text
  }

  private final class Lines: Sendable {
    private let lines = Locked<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
  }

  @Test func `another machine shows every image that was drawn, also before a failure`()
    async throws
  {
    let told = try await told(banana)
    #expect(told.contains("out of ink"))
    for label in ["image_1", "image_2", "image_3"] {
      #expect(told.contains("\(label): a file of "), "\(told)")
    }
    // The images stand below the outputs of their own calls, also those of the call that failed. The calls run at the
    // same time, so which of them gets which label is left to chance.
    let outputs = told.components(separatedBy: "toolOutput: ").dropFirst()
      .map { $0.components(separatedBy: "\n").filter { $0.contains(", present") } }
    #expect(outputs.map(\.count) == [2, 1], "\(told)")
    #expect(
      outputs.first?.allSatisfy { $0.contains("“a banana”, by GenerateImage") } == true, "\(told)")
    #expect(
      outputs.last?.allSatisfy { $0.contains("“a square banana”, by GenerateImage") } == true,
      "\(told)")
    #expect(told.contains("all of it is one turn: true"), "\(told)")
    #expect(told.contains("an address from the first machine: image_1"), "\(told)")
  }

  @Test
  func `a follow-up knows what it was made from, and a chat that sees no images is told of them`()
    async throws
  {
    let told = try await told(cup)
    #expect(told.contains("the blue cup was made from sha256:"), "\(told)")
    #expect(told.contains("[image placeholder] image_1"), "\(told)")
    #expect(told.contains("decisions tagged 'image': 2"), "\(told)")
  }

  @Test func `a laptop and a phone part, and both have both continuations`() async throws {
    let told = try await told(meeting)
    #expect(told.contains("image_1, present, image/png"), "\(told)")
    #expect(told.contains("they parted"), "\(told)")
    for words in ["Make it blue.", "Make it red."] {
      #expect(told.components(separatedBy: words).count == 3, "\(told)")
    }
  }

  @Test func `a service goes on when a worker is lost`() async throws {
    let told = try await told(workers)
    let last = "  4 entries, 1 picture; then: Make it blue. Make it red."
    #expect(told.components(separatedBy: last).count == 3, "\(told)")
  }

  @Test func `a stream that was cut off is found and kept`() async throws {
    let told = try await told(itinerary)
    #expect(told.contains("found interrupted"), "\(told)")
    #expect(told.contains("Kyoto, 2 days, complete"), "\(told)")
    #expect(told.contains("Kyoto, 1 days, interrupted"), "\(told)")
  }

  @Test func `nothing is painted twice`() async throws {
    let told = try await told(portrait)
    #expect(told.contains("the painter was asked 2 times in all"), "\(told)")
    #expect(told.contains("/foe/portrait: image_2, failed") || told.contains(", failed"), "\(told)")
  }

  @Test func `four spellings of a picture are one artifact`() async throws {
    let told = try await told(dream)
    #expect(told.contains("four dreams, one picture: 1 artifact"), "\(told)")
    #expect(told.components(separatedBy: "image/png").count == 5, "\(told)")
  }
}
