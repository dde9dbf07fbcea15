import Keepsake

/// Something that came from somewhere: bytes, an attachment that has none, or an entry.
enum ProvenanceThing: Hashable {
  case artifact(Artifact.ID)
  /// By its number in the order of recording.
  case attachment(Int64)
  /// By its position.
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
  /// What it is called in its session; of an artifact what it is called everywhere.
  var name: String {
    switch self {
    case .artifact(let id): id.description
    case .attachment(let recording): "attachment-\(recording)"
    case .entry(let position): "entry-\(position)"
    }
  }
}
