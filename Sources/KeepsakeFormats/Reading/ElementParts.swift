import Keepsake

/// Cuts a JSON array into its elements, each of which is a session.
struct ElementParts: PartsReading {
  private let name: String
  private let assets: AssetFolder?
  private var document: JSONDocument
  private var end: Int64 = 0

  /// - Parameters:
  ///   - file: The document.
  ///   - paths: The places where the array may stand, each as the keys that lead to it.
  init(_ file: ForeignFile, arrayAt paths: [[String]]) {
    name = file.lastName
    assets = file.assets
    document = JSONDocument(file, arrayAt: paths)
  }

  mutating func next() throws -> FilePart? {
    while let piece = try document.next() {
      switch piece {
      case .envelope(let bytes, _): end += Int64(bytes.count)
      case .element(let element):
        end += Int64(element.bytes.count)
        return FilePart(
          file: ForeignFile(Array(element.bytes[element.value]), name: name, assets: assets),
          number: element.number, end: end)
      }
    }
    return nil
  }
}
