#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry.Attachment {
  /// Makes the value of a row, from what the row names by number.
  init(_ row: borrowing AttachmentRow, session: UUID, artifact: Artifact?, invocation: UUID?) {
    recording = row.number
    self.session = session
    created = Date(microseconds: row.created)
    self.artifact = artifact
    state = row.state
    direction = row.direction
    maker = row.maker
    basis = row.basis
    position = row.entry?.position
    segment = row.segment
    place = row.pointer.map(Place.pointer) ?? row.range.map(Place.range)
    turn = row.turn
    call = row.callEntry.map { CallReference(position: $0.position, ordinal: row.callOrdinal ?? 0) }
    callID = row.callID
    tool = row.tool
    self.invocation = invocation
    label = row.label
    declaredLabel = row.declaredLabel
    mediaType = row.mediaType.map { MediaType($0) }
    fileName = row.fileName
    captions = Self.captions(row.captions)
    reference = row.reference
    inputs = Self.inputs(row.inputs)
  }
}
