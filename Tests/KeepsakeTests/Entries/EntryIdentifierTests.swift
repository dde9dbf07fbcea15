import Foundation
import Keepsake
import Testing

@Suite("An entry's identifier")
struct EntryIdentifierTests {
  @Test func `is random, of version 4, and never the same twice`() {
    let ids = (0..<1000).map { _ in Entry.prompt("").id }
    #expect(Set(ids).count == ids.count)
    for id in ids {
      #expect(id.uuid.6 >> 4 == 4)
      #expect(id.uuid.8 >> 6 == 0b10)
    }
  }
}
