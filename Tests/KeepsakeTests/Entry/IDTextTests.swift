import Foundation
import Testing

@testable import Keepsake

@Suite struct `An id's 36 characters` {
  @Test func `are read as they were written, in small letters and in capitals`() {
    for _ in 0..<500 {
      let id = UUID()
      #expect(UUID(text: id.text) == id)
      #expect(UUID(text: id.uuidString) == id)
      #expect(id.text == id.uuidString.lowercased())
    }
  }

  @Test(arguments: 0..<36)
  func `are wrong with a character that belongs elsewhere, at any place`(place: Int) {
    let isHyphen = [8, 13, 18, 23].contains(place)
    for character: Character in ["-", "0", "g", "G", "/", ":", "@", "`", " ", "\0", "é", "💾"] {
      var text = Array("01234567-89ab-cdef-0123-456789abcdef")
      text[place] = character
      let isRight = character == (isHyphen ? "-" : "0")
      #expect((UUID(text: String(text)) != nil) == isRight)
    }
  }

  @Test(arguments: [
    "", "0", "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdef0",
    "0123456789abcdef0123456789abcdef", "{1234567-89ab-cdef-0123-456789abcde}",
  ])
  func `are neither fewer nor more`(text: String) {
    #expect(UUID(text: text) == nil)
  }
}
