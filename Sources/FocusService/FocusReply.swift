import EventLoop
import FocusProtocol
import FocusRegistry
import Varlink

/// The JSON of one `GetFocus` reply: the plain fields are encoded, the elements' JSON, which is kept, is put in.
@Loop
enum FocusReply {
    /// Nil only where a shape of ours could not be encoded.
    static func bytes(
        _ change: FocusChange, _ transaction: Transaction, instance: String?, renderer: ElementRenderer
    ) -> [UInt8]? {
        let position = change.current
        let focus = Focus(
            technology: change.technology?.rawValue, mode: position?.mode?.rawValue,
            region: position?.region.map { Region(start: $0.start, end: $0.end) },
            assumed: position?.isAssumed ?? false, cause: change.cause.rawValue, revision: transaction.revision,
            monotonicMicroseconds: position?.time ?? transaction.time)
        let scalars: [UInt8]
        do {
            scalars = try JSONBytes.encode(focus)
        } catch {
            return nil
        }
        let element = position.flatMap { renderer.json(of: $0.element) }
        let previous = change.previous.flatMap { renderer.json(of: $0) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(scalars.count + (element?.count ?? 0) + (previous?.count ?? 0) + 96)
        append("{\"focus\":", to: &bytes)
        // All but the brace that ends it.
        bytes.append(contentsOf: scalars.dropLast())
        if let element {
            append(",\"element\":", to: &bytes)
            bytes.append(contentsOf: element)
        }
        if let previous {
            append(",\"previous\":", to: &bytes)
            bytes.append(contentsOf: previous)
        }
        append("}", to: &bytes)
        if let instance {
            // Made of digits and a dash.
            append(",\"instance\":\"", to: &bytes)
            bytes.append(contentsOf: instance.utf8)
            append("\"", to: &bytes)
        }
        append("}", to: &bytes)
        return bytes
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }
}
