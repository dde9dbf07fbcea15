#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Audit {
  /// Where artifacts come from, as points and arrows: session → prompt → what made it → attachment → artifact, and from
  /// what an artifact was made from to the attachment that says so.
  ///
  /// What stands at a point is text as it was recorded: whoever draws it escapes it.
  public struct Graph: Sendable, Hashable, Codable {
    /// In the order in which they were met.
    public private(set) var points: [Point] = []
    public private(set) var arrows: [Arrow] = []

    /// By what each point is found again.
    private var known: [String: Int] = [:]

    public struct Point: Sendable, Hashable, Codable {
      public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case session, entry, prompt, maker, attachment, artifact
      }

      public let kind: Kind
      /// What is to be said of it, the most important first.
      public internal(set) var lines: [String]
    }

    /// What one point has to do with another; both are indexes of ``Graph/points``.
    public struct Arrow: Sendable, Hashable, Codable {
      public let from: Int
      public let to: Int
      /// How sure it is, or why; nil where it is plain.
      public let what: String?
    }

    public init() {}

    /// All that is known of an artifact, and one step of what it was made from and into.
    public init(_ trail: Trail) {
      for place in trail.attachments { add(place) }
      let artifact = point(of: trail.artifact, type: trail.sniffedType)
      for input in trail.madeFrom
      where !trail.attachments.contains(where: { $0.id == input.recording }) {
        // Of a page of attachments: the one that says so is on another.
        if let id = input.artifact { arrow(point(of: id, type: nil), artifact, "made from") }
      }
      for product in trail.madeInto { add(product, madeFrom: artifact) }
    }

    /// All that a session made and was given.
    public init(_ report: SessionReport) {
      for place in report.attachments { add(place) }
    }
  }
}

extension Audit.Graph {
  private mutating func point(
    _ key: String, _ kind: Point.Kind, _ lines: @autoclosure () -> [String?]
  ) -> Int {
    if let index = known[key] { return index }
    points.append(Point(kind: kind, lines: lines().compactMap { $0 }))
    known[key] = points.count - 1
    return points.count - 1
  }

  private mutating func arrow(_ from: Int, _ to: Int, _ what: String? = nil) {
    let arrow = Arrow(from: from, to: to, what: what)
    // An artifact that occurs in many places has few kinds of arrows; they are looked for near the end.
    if !arrows.suffix(64).contains(arrow) { arrows.append(arrow) }
  }

  private mutating func point(of artifact: Artifact.ID, type: MediaType?) -> Int {
    point(
      "artifact \(artifact)", .artifact,
      [String(artifact.description.prefix(19)), type?.description])
  }

  private mutating func point(of session: UUID, title: String?) -> Int {
    let id = session.uuidString.lowercased()
    return point("session \(id)", .session, [title, id])
  }

  private mutating func add(_ place: Audit.Occurrence) {
    let session = point(of: place.session, title: place.title)
    var before = session
    if let prompt = place.prompt {
      before = point(
        "entry \(place.session) \(prompt.position)", .prompt,
        [prompt.text, "entry \(prompt.position)"])
      arrow(session, before)
    }
    if let maker = maker(of: place) {
      arrow(before, maker)
      before = maker
    }
    let attachment = point(
      "attachment \(place.recording)", .attachment,
      [
        place.label, place.caption, place.position.map { "entry \($0)" },
        place.state == .present ? nil : place.state.rawValue,
      ])
    arrow(before, attachment, place.direction == .made ? place.basis.rawValue : nil)
    if let artifact = place.artifact {
      arrow(attachment, point(of: artifact, type: place.mediaType ?? place.sniffedType))
    }
    for input in place.inputs {
      switch input {
      case .artifact(let id): arrow(point(of: id, type: nil), attachment, "made from")
      case .entry(let position):
        let entry = point("entry \(place.session) \(position)", .entry, ["entry \(position)"])
        arrow(entry, attachment, "made from")
      }
    }
  }

  /// The call, or the run, that made it; else what kind of thing did, where it was made.
  private mutating func maker(of place: Audit.Occurrence) -> Int? {
    let name = place.maker.name ?? place.tool
    let lines = [name ?? place.maker.kind.rawValue, place.arguments]
    if let call = place.call {
      return point("call \(place.session) \(call.position) \(call.ordinal)", .maker, lines)
    }
    if let run = place.invocation { return point("run \(run.id)", .maker, lines) }
    guard place.direction == .made else { return nil }
    return point("maker \(place.recording)", .maker, lines)
  }

  private mutating func add(_ product: Audit.Product, madeFrom artifact: Int) {
    let isNew = known["attachment \(product.recording)"] == nil
    let attachment = point(
      "attachment \(product.recording)", .attachment,
      [product.label, product.position.map { "entry \($0)" }])
    arrow(artifact, attachment, "made from")
    if let id = product.artifact { arrow(attachment, point(of: id, type: product.mediaType)) }
    guard isNew, let tool = product.tool else { return }
    let maker = point("maker \(product.recording)", .maker, [tool])
    arrow(point(of: product.session, title: nil), maker)
    arrow(maker, attachment, product.basis.rawValue)
  }
}
