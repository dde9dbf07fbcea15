import KeepsakeArchive
import Testing

@Suite("Archives: how a file is packed")
struct PackingTests {
  @Test func `how a file is packed its first bytes show`() {
    #expect(Packing(head: [0x50, 0x4B, 3, 4, 0]) == .zip)
    #expect(Packing(head: [0x50, 0x4B, 5, 6]) == .zip)
    #expect(Packing(head: [0x1F, 0x8B, 8, 0]) == .gzip)
    #expect(Packing(head: [0x28, 0xB5, 0x2F, 0xFD]) == .zstd)
    for other in ["{\"a\":1}", "", "P", "PK", "PK\u{1}\u{2}", "\u{1F}"] {
      #expect(Packing(head: other.utf8) == nil, "\(other.debugDescription)")
    }
  }
}
