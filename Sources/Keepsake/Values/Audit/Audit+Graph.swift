#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Audit {
  /// The origin of artifacts as points and arrows.
  ///
  /// The arrows lead from a session to a prompt, a maker, an attachment and an artifact, and from an artifact to the
  /// attachments of what was made from it. The lines of a point are text as it was recorded, so whoever draws them must escape
  /// them.
  public struct Graph: Sendable, Hashable, Codable {
    /// The points, in the order in which they were found.
    public private(set) var points: [Point] = []
    /// The arrows between points.
    public private(set) var arrows: [Arrow] = []

    /// The indexes of the points by their keys.
    private var known: [String: Int] = [:]

    /// A session, an entry, a maker, an attachment or an artifact in the graph.
    public struct Point: Sendable, Hashable, Codable {
      /// The kinds of points.
      public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case session, entry, prompt, maker, attachment, artifact
      }

      /// The kind of the point.
      public let kind: Kind
      /// The description of the point, with the most important line first.
      public internal(set) var lines: [String]
    }

    /// A connection between two points, by their indexes in ``Graph/points``.
    public struct Arrow: Sendable, Hashable, Codable {
      /// The index of the point at which the arrow begins.
      public let from: Int
      /// The index of the point at which the arrow ends.
      public let to: Int
      /// The meaning or the basis of the connection; nil where it is obvious.
      public let what: String?
    }

    /// Creates an empty graph.
    public init() {}

    /// Creates the graph of one artifact, with one step back to its inputs, and one step on to its products.
    ///
    /// - Parameter trail: The audit of the artifact.
    public init(_ trail: Trail) {
      for place in trail.attachments { add(place) }
      let artifact = point(of: trail.artifact, type: trail.sniffedType)
      for input in trail.madeFrom
      where !trail.attachments.contains(where: { $0.id == input.recording }) {
        // The attachment that names this input is on another page, so its point is not in the graph.
        if let id = input.artifact { arrow(point(of: id, type: nil), artifact, "made from") }
      }
      for product in trail.madeInto { add(product, madeFrom: artifact) }
    }

    /// Creates the graph of everything that a session made and was given.
    ///
    /// - Parameter report: The audit of the session.
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
    // Equal arrows come from one artifact, whose arrows are added one after the other. So a search of the last ones is enough.
    if !arrows.suffix(64).contains(arrow) { arrows.append(arrow) }
  }

  private mutating func point(of artifact: Artifact.ID, type: MediaType?) -> Int {
    point(
      "artifact \(artifact)", .artifact,
      [String(artifact.description.prefix(19)), type?.description])
  }

  private mutating func point(of session: UUID, title: String?) -> Int {
    let id = session.text
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

  /// Adds the maker of an attachment: the call, the invocation, or else the kind of maker if the artifact was made.
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
