extension MediaType {
  public static let png: MediaType = "image/png"
  public static let jpeg: MediaType = "image/jpeg"
  public static let gif: MediaType = "image/gif"
  public static let webp: MediaType = "image/webp"
  public static let heic: MediaType = "image/heic"
  public static let avif: MediaType = "image/avif"
  public static let tiff: MediaType = "image/tiff"
  public static let bmp: MediaType = "image/bmp"
  public static let svg: MediaType = "image/svg+xml"
  public static let mp3: MediaType = "audio/mpeg"
  public static let wav: MediaType = "audio/wav"
  public static let flac: MediaType = "audio/flac"
  public static let ogg: MediaType = "audio/ogg"
  public static let aac: MediaType = "audio/aac"
  public static let m4a: MediaType = "audio/mp4"
  public static let mp4: MediaType = "video/mp4"
  public static let quickTime: MediaType = "video/quicktime"
  public static let webm: MediaType = "video/webm"
  public static let pdf: MediaType = "application/pdf"
  public static let zip: MediaType = "application/zip"
  public static let json: MediaType = "application/json"
  public static let jsonLines: MediaType = "application/jsonl"
  public static let xml: MediaType = "application/xml"
  public static let html: MediaType = "text/html"
  public static let csv: MediaType = "text/csv"
  public static let markdown: MediaType = "text/markdown"
  public static let plainText: MediaType = "text/plain"

  /// The type of bytes about which nothing is known.
  public static let octetStream: MediaType = "application/octet-stream"

  /// The usual extension of files of this type, in lower case and without a dot; nil if there is none.
  public var fileExtension: String? { Self.extensionsByEssence[essence] }

  /// Returns the type that files with an extension usually have; nil if the extension is unknown.
  ///
  /// - Parameter text: The extension, in any case, with or without a dot before it.
  /// - Returns: The media type.
  public static func forFileExtension(_ text: String) -> MediaType? {
    let bytes = text.utf8.drop { $0 == UInt8(ascii: ".") }.map(\.asciiLowercased)
    return typesByExtension[String(decoding: bytes, as: UTF8.self)]
  }

  private static let extensionsByEssence = Dictionary(
    fileTypes.compactMap { type in
      type.extensions.split(separator: " ").first.map { (type.essence, String($0)) }
    },
    uniquingKeysWith: { first, _ in first })

  private static let typesByExtension = Dictionary(
    fileTypes.flatMap { type in
      type.extensions.split(separator: " ").map { (String($0), MediaType(type.essence)) }
    },
    uniquingKeysWith: { first, _ in first })

  /// The known types with their extensions, the usual extension first.
  ///
  /// If an extension or a type occurs twice, the earlier line counts. Aliases of types come last, so that an alias has an
  /// extension, but no extension gives the alias.
  private static let fileTypes: [(essence: String, extensions: String)] = [
    ("image/png", "png"), ("image/jpeg", "jpg jpeg jpe jfif"), ("image/gif", "gif"),
    ("image/webp", "webp"), ("image/heic", "heic"), ("image/heif", "heif hif"),
    ("image/heic-sequence", "heics"), ("image/heif-sequence", "heifs"), ("image/avif", "avif"),
    ("image/tiff", "tiff tif"), ("image/bmp", "bmp dib"), ("image/vnd.microsoft.icon", "ico"),
    ("image/svg+xml", "svg"), ("image/jxl", "jxl"), ("image/vnd.adobe.photoshop", "psd"),
    ("image/jp2", "jp2"), ("image/x-exr", "exr"), ("image/qoi", "qoi"),
    // An animated PNG is a PNG, and more programs open it with this extension.
    ("image/apng", "png apng"),

    ("audio/wav", "wav wave"), ("audio/mpeg", "mp3 mp2 mpga"), ("audio/aac", "aac"),
    ("audio/mp4", "m4a m4b"), ("audio/flac", "flac"), ("audio/ogg", "ogg oga opus"),
    ("audio/midi", "mid midi"), ("audio/aiff", "aiff aif aifc"), ("audio/x-caf", "caf"),
    ("audio/amr", "amr"), ("audio/amr-wb", "awb"), ("audio/basic", "au snd"),
    ("audio/webm", "weba"),

    ("video/mp4", "mp4 mpg4"), ("video/x-m4v", "m4v"), ("video/quicktime", "mov qt"),
    ("video/webm", "webm"), ("video/matroska", "mkv"), ("video/vnd.avi", "avi"),
    ("video/mpeg", "mpg mpeg"), ("video/mp2t", "mts m2ts"), ("video/3gpp", "3gp"),
    ("video/3gpp2", "3g2"), ("video/ogg", "ogv"), ("video/x-flv", "flv"),
    ("video/x-ms-asf", "asf wmv"),

    ("application/pdf", "pdf"), ("application/rtf", "rtf"), ("application/postscript", "ps eps"),
    (officeOpen + "wordprocessingml.document", "docx"),
    (officeOpen + "spreadsheetml.sheet", "xlsx"),
    (officeOpen + "presentationml.presentation", "pptx"),
    ("application/epub+zip", "epub"),
    (openDocument + "text", "odt"), (openDocument + "spreadsheet", "ods"),
    (openDocument + "presentation", "odp"), (openDocument + "graphics", "odg"),
    ("application/msword", "doc"), ("application/vnd.ms-excel", "xls"),
    ("application/vnd.ms-powerpoint", "ppt"),

    ("application/zip", "zip"), ("application/gzip", "gz"), ("application/x-bzip2", "bz2"),
    ("application/x-xz", "xz"), ("application/zstd", "zst"), ("application/x-7z-compressed", "7z"),
    ("application/vnd.rar", "rar"), ("application/x-tar", "tar"), ("application/x-lz4", "lz4"),
    ("application/java-archive", "jar"), ("application/vnd.android.package-archive", "apk"),

    ("application/json", "json"), ("application/jsonl", "jsonl ndjson"),
    ("application/xml", "xml"), ("application/xhtml+xml", "xhtml"), ("text/html", "html htm"),
    ("text/csv", "csv"), ("text/tab-separated-values", "tsv"), ("text/plain", "txt text log"),
    ("text/markdown", "md markdown"), ("text/css", "css"), ("text/javascript", "js mjs cjs"),
    ("text/x-typescript", "ts tsx"), ("text/x-python", "py"), ("text/x-swift", "swift"),
    ("text/x-shellscript", "sh bash zsh"), ("text/x-perl", "pl"), ("text/x-ruby", "rb"),
    ("text/x-c", "c h"), ("text/x-c++", "cpp cc hpp"), ("text/x-java", "java"),
    ("text/x-rust", "rs"), ("text/x-go", "go"), ("application/yaml", "yaml yml"),
    ("application/toml", "toml"), ("application/sql", "sql"), ("text/calendar", "ics"),
    ("text/vcard", "vcf"),

    ("application/vnd.sqlite3", "sqlite sqlite3 db"), ("application/wasm", "wasm"),
    ("application/vnd.microsoft.portable-executable", "exe dll"),
    ("application/java-vm", "class"), ("application/vnd.apache.parquet", "parquet"),
    ("application/x-plist", "plist"), ("font/woff", "woff"), ("font/woff2", "woff2"),
    ("font/ttf", "ttf"), ("font/otf", "otf"), ("font/collection", "ttc otc"),
    ("model/vnd.usdz+zip", "usdz"), ("model/gltf-binary", "glb"), ("model/gltf+json", "gltf"),

    ("image/jpg", "jpg"), ("image/pjpeg", "jpg"), ("image/x-png", "png"), ("image/x-ms-bmp", "bmp"),
    ("image/x-icon", "ico"), ("audio/mp3", "mp3"), ("audio/x-wav", "wav"), ("audio/wave", "wav"),
    ("audio/vnd.wave", "wav"), ("audio/x-m4a", "m4a"), ("audio/m4a", "m4a"), ("audio/x-aac", "aac"),
    ("audio/x-flac", "flac"), ("audio/opus", "opus"), ("audio/x-aiff", "aiff"),
    ("video/x-matroska", "mkv"), ("video/x-msvideo", "avi"), ("text/rtf", "rtf"),
    ("application/x-gzip", "gz"), ("application/x-zip-compressed", "zip"),
    ("application/x-ndjson", "jsonl"), ("text/json", "json"), ("text/xml", "xml"),
    ("application/javascript", "js"), ("application/x-javascript", "js"),
    ("application/x-yaml", "yaml"), ("text/yaml", "yaml"), ("application/x-sh", "sh"),
    ("application/x-sqlite3", "sqlite"),
  ]

  static let officeOpen = "application/vnd.openxmlformats-officedocument."
  static let openDocument = "application/vnd.oasis.opendocument."
}
