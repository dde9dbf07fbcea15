import Keepsake
import KeepsakeViewer

/// The places of a conversation where it parts into branches, with a switch between them at each.
struct Branches {
  /// A conversation that goes on in its own way from a place.
  private struct Branch {
    let name: String
    let address: String
    let isCurrent: Bool
  }

  private let branches: [Int: [Branch]]

  /// The most branches of one place, and the most conversations on the way back to the first.
  private static let limit = 12

  /// Finds the branches at the positions of a range.
  init(of session: Session, _ positions: Range<Int>, in store: Store) async throws {
    var branches: [Int: [Branch]] = [:]
    for place in try await Self.places(of: session, in: store) where positions.contains(place) {
      let alternatives = try await session.alternatives(at: place)
      guard alternatives.contains(where: { $0.id != session.id }) else { continue }
      for alternative in alternatives.prefix(Self.limit) {
        branches[place, default: []].append(
          Branch(
            name: try await Self.name(of: alternative, at: place, in: store),
            address: Address.session(alternative.id, at: place),
            isCurrent: alternative.id == session.id))
      }
    }
    self.branches = branches
  }

  /// The positions at which this conversation, or one that it shares entries with, was forked.
  private static func places(of session: Session, in store: Store) async throws -> Set<Int> {
    var places: Set<Int> = []
    var current = session
    var end = Int.max
    for _ in 0..<limit {
      for fork in try await current.forks() {
        if let place = fork.forkPosition, place <= end { places.insert(place) }
      }
      let summary = try await current.summary()
      guard let parent = summary.forkOf, let place = summary.forkPosition else { break }
      end = min(end, place)
      places.insert(place)
      do { current = try await store.session(parent) } catch let error as KeepsakeError
        where error.code == .notFound
      { break }
    }
    return places
  }

  /// The beginning of what a branch says first.
  private static func name(of session: Session.Summary, at position: Int, in store: Store)
    async throws -> String
  {
    let entry = try await store.session(session.id).entries(after: position - 1, count: 1).first
    let said = entry.map { $0.text.isEmpty ? $0.toolCalls.first?.tool ?? "" : $0.text } ?? ""
    return said.isEmpty ? session.name ?? "Without a title" : said
  }

  /// Writes the switch of a position, where there is one.
  func write(at position: Int, to html: inout HTML) {
    guard let branches = branches[position] else { return }
    html.begin(
      "nav",
      [
        "class": "branches", "id": "branches-\(position)",
        "aria-label": "Branches at entry \(position)",
      ])
    let current = branches.firstIndex(where: \.isCurrent)
    html.element(
      "span", ["class": "note"],
      text: current.map { "\($0 + 1) of \(branches.count)" }
        ?? Phrase.count(branches.count, "branch", "branches"))
    for branch in branches {
      html.element(
        "a",
        ["href": branch.address, "aria-current": branch.isCurrent ? "true" : nil, "dir": "auto"],
        text: Phrase.excerpt(branch.name, limit: 48))
    }
    html.end("nav")
  }
}
