import Foundation
import Testing

@testable import Keepsake

extension Session {
  /// What its entries say, from the first to the last.
  func texts() async throws -> [String] { try await entries.all().map(\.text) }

  /// The labels that an entry shows, after checking that each way to ask for them says the same.
  func labels(at position: Int, _ location: SourceLocation = #_sourceLocation) async throws
    -> [String]
  {
    let shown = try await entry(at: position).attachments.map(\.label)
    let all = try await entries.all()[position].attachments.map(\.label)
    let listed = try await attachments().filter { $0.position == position }.map(\.label)
    let audited = try await audit().attachments.filter { $0.position == position }.map(\.label)
    #expect(all == shown, sourceLocation: location)
    #expect(listed == shown, sourceLocation: location)
    #expect(audited == shown, sourceLocation: location)
    for label in shown {
      let found = try await attachment(label)
      #expect(found.position == position, "\(label)", sourceLocation: location)
    }
    return shown
  }

  /// The label that the error names, where none is found.
  func hasAttachment(_ label: String) async throws -> Bool {
    do {
      _ = try await attachment(label)
      return true
    } catch let error as KeepsakeError where error.code == .notFound {
      return false
    }
  }
}

extension Entry.NewAttachment {
  /// Some bytes that nobody else has, under a label.
  static func labelled(_ label: String) -> Entry.NewAttachment {
    Entry.NewAttachment(.data(Data(label.utf8)), label: label, madeBy: .user)
  }

  /// One pixel, under a label.
  static func image(_ label: String) throws -> Entry.NewAttachment {
    let png = try #require(Data(base64Encoded: Pixel.png))
    return Entry.NewAttachment(.data(png), label: label, madeBy: .user)
  }
}

/// Checks a store by both verifiers.
func expectSound(_ store: Store, _ location: SourceLocation = #_sourceLocation) async throws {
  try await DeletingTests.isSound(store, location)
  #expect(try OtherVerifier.run(store.url).faults == "", sourceLocation: location)
}
