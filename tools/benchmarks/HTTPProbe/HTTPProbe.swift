import KeepsakeFiles
import KeepsakeHTTP

/// Serves answers of many kinds until Ctrl-C, so that KeepsakeHTTP can be measured and tested from outside.
///
///     KeepsakeHTTPProbe FILE [PORT]
///
/// Says its port in a line. `/bytes/N` is so many bytes, `/file` is the file, and `/events` a stream of the texts that are
/// posted there.
@main
struct HTTPProbe {
  static func main() throws {
    let signals = Signals()
    let arguments = CommandLine.arguments
    guard arguments.count >= 2 else {
      print("usage: KeepsakeHTTPProbe FILE [PORT]")
      return
    }
    let port = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0
    let server = HTTPServer(
      [.loopback(port: port)], handler: try ProbeHandler(file: arguments[1]))
    try server.start()
    try StandardStream.output.write(Array("\(server.port ?? 0)\n".utf8))
    signals.wait()
    _ = server.stop(within: .seconds(2))
  }
}
