import Foundation
import FoundationModels
import Keepsake

@testable import KeepsakeFoundationModels

/// What a tool is asked to draw.
struct Fruit: Generable {
  var content: String

  init(_ content: GeneratedContent) throws {
    self.content = try content.value(forProperty: "content")
  }

  static var generationSchema: GenerationSchema { GenerationSchema(type: Fruit.self) }
  var generatedContent: GeneratedContent {
    get { (try? GeneratedContent(json: #"{"content": "\#(content)"}"#)) ?? "".generatedContent }
  }

  static func call(_ content: String) -> (tool: String, arguments: String) {
    ("Draw", #"{"content": "\#(content)"}"#)
  }
}

struct Rotten: Error {}

/// Draws by handing bytes over, and tells the model the label.
struct Draw: Tool {
  let name = "Draw"
  let description = "Draws a fruit."
  /// What is drawn the n-th time, in whatever order the calls come; nil fails after drawing.
  var isRotten: @Sendable (Fruit) -> Bool = { _ in false }

  @concurrent
  func call(arguments: Fruit) async throws -> String {
    ToolRun.current?.progress(0.5, note: "half a \(arguments.content)")
    let image = try await ToolRun.current?.attach(
      .bytes(Array("\(arguments.content) \(UUID())".utf8)), mediaType: "image/png",
      caption: arguments.content)
    if isRotten(arguments) { throw Rotten() }
    return #"{"image": "\#(image?.label ?? "none")"}"#
  }
}

/// Draws two at once, and hands them over together.
struct DrawTwo: Tool {
  let name = "DrawTwo"
  let description = "Draws a ripe fruit and an unripe one."

  @concurrent
  func call(arguments: Fruit) async throws -> String {
    let drawn = ["ripe", "unripe"].map { (label: String) in
      Entry.NewAttachment(.bytes(Array("\(label) \(arguments.content)".utf8)), label: label)
    }
    let images = try await ToolRun.current?.attach(drawn) ?? []
    return images.map(\.label).joined(separator: " ")
  }
}

/// Draws into a folder, and names the files by their paths.
struct DrawFile: Tool {
  let name = "DrawFile"
  let description = "Draws a fruit into a file."
  let folder: URL

  @concurrent
  func call(arguments: Fruit) async throws -> String {
    let file = folder.appending(path: "a \(arguments.content).png")
    try Data(arguments.content.utf8).write(to: file)
    let missing = folder.appending(path: "gone.png")
    return #"{"images": ["\#(file.path)", "\#(missing.path)", "/etc/hostname"]}"#
  }
}

struct Itinerary: Generable {
  var title: String
  var days: Int

  init(_ content: GeneratedContent) throws {
    title = try content.value(forProperty: "title")
    days = (try? content.value(forProperty: "days")) ?? 0
  }

  static var generationSchema: GenerationSchema { GenerationSchema(type: Itinerary.self) }
  var generatedContent: GeneratedContent {
    (try? GeneratedContent(json: #"{"title": "\#(title)", "days": \#(days)}"#))
      ?? title.generatedContent
  }
}
