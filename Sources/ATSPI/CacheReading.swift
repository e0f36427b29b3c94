import AccessibilityTree
import EventLoop

/// The reading of one application's cache, which may list a hundred thousand accessibles: a slice a turn of the loop.
///
/// The reply is held until the last slice was handed out, or ``cancel()``.
@Loop
package final class CacheReading {
    /// What became of the items of one reply.
    package struct Summary: Hashable, Sendable {
        /// Handed out.
        package var items = 0
        /// Left out: their own reference says "nothing".
        package var nullItems = 0
        /// Left out: they belong to another connection.
        package var foreignItems = 0
        /// Left out: one that could not be read, and with it all after it.
        package var malformedItems = 0
        /// Whether the older form was sent, which lists children instead of counting them.
        package var isLegacy = false

        package init() {}
    }

    package struct Limits: Sendable {
        /// How long the application may take to answer.
        package var milliseconds: Int32 = 10_000
        /// Items decoded and handed out in one turn of the loop: about a millisecond.
        package var itemsPerSlice = 500
        /// How long a slice lets everything else go first.
        package var patienceMilliseconds: Int64 = 10
        package init() {}
    }

    private let limits: Limits
    private let step: @Loop ([TreeItem]) -> Void
    private let completion: @Loop (Result<Summary, CallFailure>) -> Void
    private let busName: String
    private var decoder: CacheItemDecoder?
    private var summary = Summary()
    private var message: MarshalledMessage?
    private var items = WireReader(body: UnsafeRawBufferPointer(start: nil, count: 0))
    private var itemsEnd = 0
    private var next: LoopIdle?
    private var isOver = false

    init(
        _ busName: String, _ limits: Limits, _ step: @escaping @Loop ([TreeItem]) -> Void,
        _ completion: @escaping @Loop (Result<Summary, CallFailure>) -> Void
    ) {
        self.limits = limits
        self.step = step
        self.completion = completion
        self.busName = busName
    }

    /// Ends the reading; neither `step` nor `completion` is called any more.
    package func cancel() {
        isOver = true
        release()
    }

    func begin(_ reply: Result<MessageReader, CallFailure>) {
        guard !isOver else { return }
        switch reply {
        case .failure(let failure): finish(.failure(failure))
        case .success(let reader):
            guard let message = reader.marshalled(), let form = CacheItemDecoder.Form(items: message.signature) else {
                return finish(.failure(.malformed))
            }
            summary.isLegacy = form == .legacy
            decoder = CacheItemDecoder(busName: busName, form: form)
            self.message = message
            items = message.body
            do { itemsEnd = try items.arrayEnd(alignment: 8) } catch { return finish(.failure(.malformed)) }
            readSlice()
        }
    }

    private func readSlice() {
        var slice: [TreeItem] = []
        slice.reserveCapacity(limits.itemsPerSlice)
        for _ in 0..<limits.itemsPerSlice where items.offset < itemsEnd { read(into: &slice) }
        summary.items += slice.count
        if !slice.isEmpty { step(slice) }
        guard !isOver else { return }
        guard items.offset < itemsEnd else { return finish(.success(summary)) }
        // The closure keeps this object while it waits for its turn.
        next = LoopIdle(patienceMilliseconds: limits.patienceMilliseconds) { self.readSlice() }
    }

    private func read(into slice: inout [TreeItem]) {
        do {
            switch try decoder?.item(&items) {
            case .item(let item): slice.append(item)
            case .null: summary.nullItems += 1
            case .foreign: summary.foreignItems += 1
            case nil: break
            }
        } catch {
            // Where the next one begins is not known any more.
            summary.malformedItems += 1
            itemsEnd = 0
        }
    }

    private func finish(_ result: Result<Summary, CallFailure>) {
        isOver = true
        release()
        completion(result)
    }

    private func release() {
        next?.cancel()
        next = nil
        decoder = nil
        message = nil
    }
}

extension BusConnection {
    /// Reads what an application's cache lists: `step` gets the items in slices, `completion` is called once, after all.
    ///
    /// Fails with `malformed` where the reply has neither of the two known signatures, and with `notSupported` or
    /// `unknownObject` where there is no cache. A reply after the deadline is dropped. Texts are as long as the application
    /// made them: whoever keeps them cuts them. What an application leaves out of its cache is not an error; most do.
    @discardableResult
    package func readCache(
        of busName: String, limits: CacheReading.Limits = CacheReading.Limits(),
        step: @escaping @Loop ([TreeItem]) -> Void,
        completion: @escaping @Loop (Result<CacheReading.Summary, CallFailure>) -> Void
    ) -> CacheReading {
        let reading = CacheReading(busName, limits, step, completion)
        call(busName, BusNames.cachePath, BusNames.cache, "GetItems", milliseconds: limits.milliseconds) {
            reading.begin($0)
        }
        return reading
    }
}
