import Foundation

@testable import Keepsake

extension Entry.Attachment {
  /// An attachment that no store holds, for looking at what it is called.
  static func made(
    _ number: Int, label: String? = nil, declared: String? = nil, reference: String? = nil,
    file: String? = nil, caption: String? = nil, bytes: String? = nil, at position: Int? = nil,
    state: State = .present, segment: Int? = nil
  ) -> Entry.Attachment {
    var row = AttachmentRow(
      session: 1, created: 0, state: state, direction: .made, maker: .toolCall, basis: .explicit,
      label: label ?? "image_\(number)", recorded: number)
    row.number = Int64(number)
    row.entry = position.map { EntryID(session: 1, position: $0) }
    row.segment = segment
    row.declaredLabel = declared
    row.reference = reference
    row.fileName = file
    row.captions = caption.flatMap { encode([Caption($0)]) }
    let artifact = Artifact(
      id: LargeText.id(of: bytes ?? "artifact \(number)"), size: 10,
      sniffedType: MediaType("image/png"), pixelSize: nil, home: nil)
    return Entry.Attachment(row, session: UUID(), artifact: artifact, invocation: nil)
  }
}
