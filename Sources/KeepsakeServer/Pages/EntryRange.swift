import Keepsake
import KeepsakeHTTP
import KeepsakeViewer

/// The entries of a range as they are drawn, with the days at which they were made between them.
struct EntryRange {
  private let drawn: [DrawnEntry]
  private let branches: Branches
  private let positions: Range<Int>
  /// The day of the entry before the range, which is not said again.
  private let day: String?
  private let isFirst: Bool

  init(_ session: Session, _ positions: Range<Int>, in store: Store) async throws {
    let end = try await session.count()
    let positions = positions.clamped(to: 0..<end)
    self.positions = positions
    // Branches of the end are those that went on from all of it.
    branches = try await Branches(
      of: session, positions.upperBound == end ? positions.lowerBound..<end + 1 : positions,
      in: store)
    drawn = try await session.drawing(of: positions, in: Self.place(of: session))
    let before = try await session.entries(before: positions.lowerBound, count: 1).last
    day = before?.created.map(Phrase.day)
    isFirst = before == nil
  }

  func write(to html: inout HTML) {
    var written = min(positions.lowerBound, drawn.first?.position ?? positions.lowerBound)
    var day = day
    var isFirst = isFirst
    for entry in drawn {
      if entry.day != day || isFirst {
        html.day(entry.day)
        day = entry.day
        isFirst = false
      }
      // An output stands with its call, so a switch there comes before the next entry that is drawn.
      while written <= entry.position {
        branches.write(at: written, to: &html)
        written += 1
      }
      html.drawn(entry.html)
    }
    while written <= positions.upperBound {
      branches.write(at: written, to: &html)
      written += 1
    }
  }

  /// The place where the entries of a session are shown: a page of this server.
  static func place(of session: Session) -> FragmentPlace {
    let path = Address.session(session.id)
    var place = FragmentPlace(
      artifacts: .served { Address.bytes($0) }, revisionsURL: { "\(path)/revisions/\($0)" }
    ) { "\(path)?at=\($0)#entry-\($0)" }
    place.showsTurns = true
    return place
  }
}
