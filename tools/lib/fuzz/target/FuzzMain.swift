/// The beginning of the fuzzer, which makes up inputs, calls a function with each of them, and returns when its time is over.
@_silgen_name("LLVMFuzzerRunDriver")
private func fuzz(
  // allow(pointer): so the fuzzer is called
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<FuzzArguments>,
  // allow(pointer): so the fuzzer is called
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// allow(pointer): so the fuzzer is called
public typealias FuzzArguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

/// Begins the program, under the name at which the package manager looks for the beginning. A build with the fuzzer's marks begins in the
/// fuzzer itself, and does not call this function.
@_cdecl("KeepsakeFuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: FuzzArguments) -> CInt {
  var (count, arguments) = (count, arguments)
  return fuzz(&count, &arguments) { fuzzOne($0, $1) }
}
