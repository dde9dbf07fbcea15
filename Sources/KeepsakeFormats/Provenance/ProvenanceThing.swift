import Keepsake

/// Something whose origin is recorded: an artifact, an attachment without bytes, or an entry.
enum ProvenanceThing: Hashable {
  case artifact(Artifact.ID)
  /// An attachment without bytes, named by its number in the order of recording.
  case attachment(Int64)
  /// An entry, named by its position.
  case entry(Int)

  init(_ attachment: Entry.Attachment) {
    self = attachment.artifact.map { .artifact($0.id) } ?? .attachment(attachment.recording)
  }

  init(_ input: Entry.Attachment.Input) {
    switch input {
    case .artifact(let id): self = .artifact(id)
    case .entry(let position): self = .entry(position)
    }
  }
}

extension ProvenanceThing {
  /// The name of the thing: unique in its session, and for an artifact the same everywhere.
  var name: String {
    switch self {
    case .artifact(let id): id.description
    case .attachment(let recording): "attachment-\(recording)"
    case .entry(let position): "entry-\(position)"
    }
  }
}
