extension HTML {
  /// Writes code, coloured where its language is known.
  mutating func code(_ text: String, language: CodeLanguage?) {
    guard let language else { return self.text(text) }
    CodeScanner.forEach(in: text, as: language) { piece, token in
      let piece = String(decoding: piece, as: UTF8.self)
      if let token {
        element("span", ["class": token.cssClass], text: piece)
      } else {
        self.text(piece)
      }
    }
  }
}
