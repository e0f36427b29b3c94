import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

/// The JSON of one `GetFocus` reply, made for every move and every question: plain fields are written straight into it,
/// the elements' JSON, which is kept, is put in.
@Loop
enum FocusReply {
    /// The reply's parameters. `instance` only for the first reply of a stream.
    static func bytes(
        _ change: FocusChange, _ transaction: Transaction, instance: String?, renderer: ElementRenderer
    ) -> [UInt8] {
        let position = change.current
        let element = position.flatMap { renderer.json(of: $0.element) }
        let previous = change.previous.flatMap { renderer.json(of: $0) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(320 + (element?.count ?? 0) + (previous?.count ?? 0))
        bytes.append("{\"focus\":{")
        if let technology = change.technology {
            bytes.append("\"technology\":")
            bytes.appendJSONString(technology.rawValue)
            bytes.append(",")
        }
        if let mode = position?.mode {
            bytes.append("\"mode\":")
            bytes.appendJSONString(mode.rawValue)
            bytes.append(",")
        }
        if let region = position?.region {
            bytes.append("\"region\":{\"start\":")
            bytes.append(contentsOf: String(region.start).utf8)
            bytes.append(",\"end\":")
            bytes.append(contentsOf: String(region.end).utf8)
            bytes.append("},")
        }
        bytes.append(position?.isAssumed ?? false ? "\"assumed\":true" : "\"assumed\":false")
        bytes.append(",\"cause\":")
        bytes.appendJSONString(change.cause.rawValue)
        bytes.append(",\"revision\":")
        bytes.append(contentsOf: String(transaction.revision).utf8)
        bytes.append(",\"monotonicMicroseconds\":")
        bytes.append(contentsOf: String(position?.toldTime ?? transaction.time).utf8)
        if let element {
            bytes.append(",\"element\":")
            bytes.append(contentsOf: element)
        }
        if let previous {
            bytes.append(",\"previous\":")
            bytes.append(contentsOf: previous)
        }
        bytes.append("}")
        if let instance {
            bytes.append(",\"instance\":")
            bytes.appendJSONString(instance)
        }
        bytes.append("}")
        assert(isFaithful(bytes, change, transaction, instance), "what is written by hand is not the protocol's shape")
        return bytes
    }

    /// Whether the shape of the protocol reads the same out of the bytes; checked in debug builds only.
    private static func isFaithful(
        _ bytes: [UInt8], _ change: FocusChange, _ transaction: Transaction, _ instance: String?
    ) -> Bool {
        let position = change.current
        var expected = GetFocus.Reply(
            focus: Focus(
                technology: change.technology?.rawValue, mode: position?.mode?.rawValue,
                region: position?.region.map { Region(start: $0.start, end: $0.end) },
                assumed: position?.isAssumed ?? false, cause: change.cause.rawValue, revision: transaction.revision,
                monotonicMicroseconds: position?.toldTime ?? transaction.time))
        expected.instance = instance
        do {
            var read = try JSONBytes.decode(GetFocus.Reply.self, from: bytes)
            read.focus.element = nil
            read.focus.previous = nil
            return read == expected
        } catch {
            return false
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
