#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// An attachment that is checked and encoded.
///
/// After its bytes were taken in they are hashed, and large ones are on the disk already, beside the store's artifacts.
struct PreparedAttachment: Intaking {
  private(set) var new: Entry.NewAttachment
  let salt = Salt()
  let captions: String?
  let inputs: String?
  private var intake: Intake?

  /// Checks and encodes an attachment.
  ///
  /// - Parameters:
  ///   - new: The attachment.
  ///   - segment: The segment of the attachment, if the attachment names none.
  init(_ new: Entry.NewAttachment, segment: Int? = nil) throws {
    guard (new.source == nil) == (new.state != .present) else {
      throw KeepsakeError(
        .invalid,
        new.source == nil
          ? "Can't attach an artifact that is present without its bytes: give a source."
          : "Can't attach bytes that are \(new.state.rawValue): leave the source out, or the state at 'present'."
      )
    }
    if let place = new.place { try place.validate() }
    if let segment = new.segment { try Entry.Attachment.validate(segment: segment) }
    if let label = new.label { try Entry.Attachment.validate(label: label) }
    self.new = new
    if new.segment == nil { self.new.segment = segment }
    if new.mediaType == nil, case .base64(let text)? = new.source?.origin, DataURL.isOne(text) {
      self.new.mediaType = DataURL.mediaType(text)
    }
    captions = Entry.Attachment.encode(new.captions)
    inputs = Entry.Attachment.encode(new.inputs)
    intake = new.source.map { Intake($0) }
  }

  /// The artifact; nil for an attachment without bytes, and until the bytes were taken in.
  var artifact: PreparedArtifact? { intake?.artifact }

  /// Tells whether the attachment has no bytes, or they were taken in.
  var isTakenIn: Bool { intake == nil || intake?.artifact != nil }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) { intake?.forEachIntake(body) }

  /// The word before the number in a label that the store gives, such as `image` in `image_1`.
  var labelStem: String {
    if new.direction == .content { return "text" }
    let type = new.mediaType ?? artifact?.sniffedType ?? .octetStream
    return switch type.topLevel {
    case "image": "image"
    case "audio": "audio"
    case "video": "video"
    default: "file"
    }
  }
}

extension Entry.Attachment {
  static func validate(segment: Int) throws {
    guard ClosedRange<Int64>.index.contains(Int64(segment)) else {
      throw KeepsakeError(.outOfRange, "There is no segment \(segment): they are counted from 0.")
    }
  }

  static func validate(label: String) throws {
    guard !label.isEmpty, label.utf8.count <= 200, !label.contains(where: \.isNewline) else {
      throw KeepsakeError(
        .invalid, "Can't use a label that is empty, longer than 200 bytes or of several lines.",
        object: label)
    }
  }

  static func encode(_ captions: [Caption]) -> String? {
    if captions.isEmpty { return nil }
    return JSON.array(
      captions.map { caption in
        JSON.object(
          [("text", .string(caption.text))]
            + (caption.author.map { [("author", JSON.string($0))] } ?? []))
      }
    ).text
  }

  static func encode(_ inputs: [Input]) -> String? {
    if inputs.isEmpty { return nil }
    return JSON.array(
      inputs.map { input in
        switch input {
        case .artifact(let id): .object([("artifact", .string(id.description))])
        case .entry(let position): .object([("entry", .number(Int64(position)))])
        }
      }
    ).text
  }

  static func captions(_ text: String?) -> [Caption] {
    guard let text, let list = (try? JSON(validating: text))?.arrayValue else { return [] }
    return list.compactMap { item in
      item["text"]?.stringValue.map { Caption($0, author: item["author"]?.stringValue) }
    }
  }

  static func inputs(_ text: String?) -> [Input] {
    guard let text, let list = (try? JSON(validating: text))?.arrayValue else { return [] }
    return list.compactMap { item in
      if let id = item["artifact"]?.stringValue.flatMap(Artifact.ID.init) { return .artifact(id) }
      return item["entry"]?.intValue.map { .entry(Int($0)) }
    }
  }
}

extension Entry.Attachment.Place {
  func validate() throws {
    switch self {
    case .pointer(let text):
      guard (try? JSONPointer(text)) != nil else {
        throw KeepsakeError(
          .invalid,
          "'\(text)' is not a JSON Pointer. Write it like '/protagonist/portrait', with '~1' for a slash in a name.",
          object: text)
      }
    case .range(let range):
      guard range.lowerBound >= 0, ClosedRange<Int64>.size.contains(Int64(range.upperBound)) else {
        throw KeepsakeError(
          .outOfRange, "No text has the bytes \(range.lowerBound) to \(range.upperBound).")
      }
    }
  }
}
