import Keepsake

/// Files of every format that is sniffed: real ones where they are small, made by hand otherwise.
enum SniffSamples {
  typealias Sample = (name: String, bytes: [UInt8], essence: String)

  private static func sample(_ name: String, _ parts: [UInt8]..., as essence: String) -> Sample {
    (name, Array(parts.joined()), essence)
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  private static func box(_ type: String, _ content: [UInt8] = []) -> [UInt8] {
    let length = UInt32(content.count + 8)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + text(type) + content
  }

  private static func fileType(_ brands: String...) -> [UInt8] {
    box("ftyp", text(brands[0]) + zeros(4) + brands.flatMap(text)) + box("free") + zeros(16)
  }

  static let images: [Sample] = [
    sample("png", MediaFixtures.png, as: "image/png"),
    sample("apng", MediaFixtures.apng, as: "image/apng"),
    sample("jpeg", MediaFixtures.jpeg, as: "image/jpeg"),
    sample("gif", MediaFixtures.gif, as: "image/gif"),
    sample("webp", MediaFixtures.lossyWebP, as: "image/webp"),
    sample("heic", MediaFixtures.heic, as: "image/heic"),
    sample("heic behind mif1", fileType("mif1", "mif1", "heic"), as: "image/heic"),
    sample("heif", fileType("mif1", "mif1"), as: "image/heif"),
    sample("avif", MediaFixtures.avif, as: "image/avif"),
    sample("tiff", MediaFixtures.tiff, as: "image/tiff"),
    sample("bmp", MediaFixtures.bmp, as: "image/bmp"),
    sample("ico", MediaFixtures.ico, as: "image/vnd.microsoft.icon"),
    sample("psd", text("8BPS"), [0, 1], zeros(20), as: "image/vnd.adobe.photoshop"),
    sample("jxl", [0xFF, 0x0A], zeros(20), as: "image/jxl"),
    sample(
      "jxl box", [0, 0, 0, 0x0C], text("JXL "), [0x0D, 0x0A, 0x87, 0x0A], as: "image/jxl"),
    sample("svg", text("<svg xmlns='http://www.w3.org/2000/svg'/>"), as: "image/svg+xml"),
    sample(
      "svg with everything before it",
      text(
        "\u{FEFF}<?xml version='1.0'?>\n<!-- <html> -->\n<!DOCTYPE svg [<!ENTITY a '>'>]>\n<s:svg a='b'>"
      ),
      as: "image/svg+xml"),
  ]

  static let media: [Sample] = [
    sample("wav", MediaFixtures.wav, as: "audio/wav"),
    sample("mp3 with a tag", text("ID3"), [4, 0, 0, 0, 0, 0, 10], zeros(10), as: "audio/mpeg"),
    sample(
      "flac with a tag", text("ID3"), [4, 0, 0, 0, 0, 0, 2], zeros(2), text("fLaC"),
      as: "audio/flac"),
    // 128 kbit/s at 44.1 kHz: 417 bytes a frame.
    sample(
      "mp3", [0xFF, 0xFB, 0x90, 0x00], zeros(413), [0xFF, 0xFB, 0x90, 0x00], zeros(413),
      as: "audio/mpeg"),
    sample("mp3 of one frame", [0xFF, 0xFB, 0x90, 0x00], zeros(413), as: "audio/mpeg"),
    // MPEG-2 layer III, 32 kbit/s at 24 kHz, as speech often is: 96 bytes a frame.
    sample(
      "speech mp3", [0xFF, 0xF3, 0x44, 0xC4], zeros(92), [0xFF, 0xF3, 0x44, 0xC4], zeros(92),
      as: "audio/mpeg"),
    sample(
      "aac", [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x00, 0xFC], zeros(9),
      [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x00, 0xFC], zeros(9), as: "audio/aac"),
    sample("m4a", fileType("M4A ", "mp42", "isom"), as: "audio/mp4"),
    sample("flac", text("fLaC"), zeros(38), as: "audio/flac"),
    sample("opus", text("OggS"), zeros(22), [1, 19], text("OpusHead"), as: "audio/ogg"),
    sample("vorbis", text("OggS"), zeros(22), [1, 30], text("\u{1}vorbis"), as: "audio/ogg"),
    sample("theora", text("OggS"), zeros(22), [1, 42, 0x80], text("theora"), as: "video/ogg"),
    sample("midi", text("MThd"), [0, 0, 0, 6, 0, 1, 0, 1, 0, 96], as: "audio/midi"),
    sample("aiff", text("FORM"), zeros(4), text("AIFFCOMM"), as: "audio/aiff"),
    sample("caf", text("caff"), [0, 1, 0, 0], text("desc"), as: "audio/x-caf"),
    sample("amr", text("#!AMR\n"), [0x3C], as: "audio/amr"),
    sample("mp4", fileType("isom", "iso2", "avc1", "mp41"), as: "video/mp4"),
    sample("mov", fileType("qt  "), as: "video/quicktime"),
    sample("old mov", box("wide"), box("mdat", zeros(8)), as: "video/quicktime"),
    sample("3gp", fileType("3gp4"), as: "video/3gpp"),
    sample(
      "webm", [0x1A, 0x45, 0xDF, 0xA3, 0x8B, 0x42, 0x86, 0x81, 0x01, 0x42, 0x82, 0x84],
      text("webm"), as: "video/webm"),
    sample(
      "matroska",
      [0x1A, 0x45, 0xDF, 0xA3, 0x01, 0, 0, 0, 0, 0, 0, 0x0B, 0x42, 0x82, 0x88], text("matroska"),
      as: "video/matroska"),
    sample("avi", text("RIFF"), zeros(4), text("AVI LIST"), as: "video/vnd.avi"),
    sample("mpeg", [0, 0, 1, 0xBA, 0x44], zeros(10), as: "video/mpeg"),
    sample(
      "transport stream", Array(repeatElement([0x47] + zeros(187), count: 5).joined()),
      as: "video/mp2t"),
  ]

  static let documents: [Sample] = [
    sample("pdf", MediaFixtures.pdf, as: "application/pdf"),
    sample("rtf", text("{\\rtf1\\ansi hello}"), as: "application/rtf"),
    sample(
      "docx", MediaFixtures.docx,
      as: "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    sample(
      "xlsx", MediaFixtures.xlsx,
      as: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    sample(
      "pptx", MediaFixtures.pptx,
      as: "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    sample("epub", MediaFixtures.epub, as: "application/epub+zip"),
    sample("odt", MediaFixtures.odt, as: "application/vnd.oasis.opendocument.text"),
    sample("zip", MediaFixtures.zip, as: "application/zip"),
    sample("empty zip", text("PK"), [5, 6], zeros(18), as: "application/zip"),
    sample(
      "usdz", text("PK"), [3, 4, 10, 0, 0, 0, 0, 0], zeros(16), [10, 0, 0, 0], text("scene.usdc"),
      as: "model/vnd.usdz+zip"),
    sample("ole", ole, zeros(600), as: "application/x-ole-storage"),
    sample("doc", ole, zeros(600), wide("WordDocument"), as: "application/msword"),
    sample("xls", ole, zeros(600), wide("Workbook"), as: "application/vnd.ms-excel"),
    sample("gzip", MediaFixtures.gzip, as: "application/gzip"),
    sample("bzip2", MediaFixtures.bzip2, as: "application/x-bzip2"),
    sample("xz", MediaFixtures.xz, as: "application/x-xz"),
    sample("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0, 0], as: "application/zstd"),
    sample("7z", text("7z"), [0xBC, 0xAF, 0x27, 0x1C, 0, 4], as: "application/x-7z-compressed"),
    sample("rar", text("Rar!"), [0x1A, 7, 1, 0], as: "application/vnd.rar"),
    sample("tar", MediaFixtures.tar, as: "application/x-tar"),
  ]

  private static let ole: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]

  private static func wide(_ text: String) -> [UInt8] { text.utf8.flatMap { [$0, 0] } }

  static let programs: [Sample] = [
    sample("sqlite", text("SQLite format 3"), zeros(85), as: "application/vnd.sqlite3"),
    sample("wasm", [0], text("asm"), [1, 0, 0, 0], as: "application/wasm"),
    sample("elf", [0x7F], text("ELF"), [2, 1, 1], zeros(9), as: "application/x-elf"),
    sample("mach-o", [0xCF, 0xFA, 0xED, 0xFE], zeros(28), as: "application/x-mach-binary"),
    sample("universal", [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 2], as: "application/x-mach-binary"),
    sample("java class", [0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 52], as: "application/java-vm"),
    sample(
      "pe", text("MZ"), zeros(58), [64, 0, 0, 0], text("PE"), [0, 0],
      as: "application/vnd.microsoft.portable-executable"),
    sample("woff", text("wOFF"), [0, 1, 0, 0], as: "font/woff"),
    sample("woff2", text("wOF2"), [0, 1, 0, 0], as: "font/woff2"),
    sample("ttf", [0, 1, 0, 0, 0, 12, 0, 128], zeros(4), text("GDEF"), zeros(12), as: "font/ttf"),
    sample(
      "otf", text("OTTO"), [0, 12, 0, 128], zeros(4), text("CFF "), zeros(12), as: "font/otf"),
    sample("glb", text("glTF"), [2, 0, 0, 0], zeros(4), as: "model/gltf-binary"),
  ]

  static let texts: [Sample] = [
    sample("json", text(" {\"a\": [1, 2.5e-3, \"\\\"\"], \"b\": null}\n"), as: "application/json"),
    sample("lines of json", text("{\"a\":1}\n\n{\"a\":2}\n"), as: "application/jsonl"),
    sample("indented values", text("{\"a\":\n1}\n{\"a\":\n2}\n"), as: "text/plain"),
    sample("xml", text("<?xml version=\"1.0\"?>\n<feed/>"), as: "application/xml"),
    sample("xhtml", text("<?xml version=\"1.0\"?><html xmlns='a'>"), as: "application/xhtml+xml"),
    sample("html", text("\n<!DOCTYPE HTML>\n<p>"), as: "text/html"),
    sample("html tag", text("<!-- c --><HTML lang=en>"), as: "text/html"),
    sample("csv", text("id,name\r\n1,a\r\n2,\"b,\"\"c\"\"\"\r\n3,\r\n4,d\r\n"), as: "text/csv"),
    sample("semicolons", text("a;b;c\n1;2;3\n4;5;6\n"), as: "text/csv"),
    sample("tsv", text("a\tb\tc\n1\t2\t3\n4\t5\t6"), as: "text/tab-separated-values"),
    sample("shell", text("#!/bin/bash\necho\n"), as: "text/x-shellscript"),
    sample("python", text("#!/usr/bin/env -S python3.12 -u\n"), as: "text/x-python"),
    sample("node", text("#!/usr/bin/env node\n"), as: "text/javascript"),
    sample("chinese", text("我梦见一片藍色的海。"), as: "text/plain"),
    sample("utf-16", [0xFF, 0xFE], wide("hello\n"), as: "text/plain"),
    sample("utf-16 svg", [0xFF, 0xFE], wide("<svg />"), as: "image/svg+xml"),
    sample("utf-16, big end first", [0xFE, 0xFF, 0x84, 0xCD, 0x82, 0x72], as: "text/plain"),
  ]
}
