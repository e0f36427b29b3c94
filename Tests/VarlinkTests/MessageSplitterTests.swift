import Testing
import Varlink

@Suite struct MessageSplitterTests {
    private func split(_ chunks: [[UInt8]], limit: Int = 1000) -> (messages: [[UInt8]], isOverlong: Bool) {
        var splitter = MessageSplitter(maximumMessageBytes: limit)
        var messages: [[UInt8]] = []
        for chunk in chunks {
            chunk.withUnsafeBytes { splitter.append($0) }
            while let message = splitter.takeMessage({ span in span.withUnsafeBufferPointer { Array($0) } }) {
                messages.append(message)
            }
        }
        return (messages, splitter.isOverlong)
    }

    private static let stream: [UInt8] =
        wire("one") + wire("") + wire("zwölf → 12") + wire("a longer one, more than eight")

    @Test func messagesAreTheSameWhereverTheStreamIsCutInTwo() {
        let whole = split([Self.stream]).messages
        #expect(
            whole.map { String(decoding: $0, as: UTF8.self) } == [
                "one", "", "zwölf → 12", "a longer one, more than eight",
            ])
        for cut in 0...Self.stream.count {
            #expect(split([Array(Self.stream[..<cut]), Array(Self.stream[cut...])]).messages == whole, "cut at \(cut)")
        }
    }

    @Test func messagesAreTheSameWhateverTheSizeOfTheChunks() {
        let whole = split([Self.stream]).messages
        for size in 1...Self.stream.count {
            let chunks = stride(from: 0, to: Self.stream.count, by: size).map {
                Array(Self.stream[$0..<min($0 + size, Self.stream.count)])
            }
            #expect(split(chunks).messages == whole, "chunks of \(size)")
        }
    }

    @Test func aMessageWithoutItsEndWaits() {
        var splitter = MessageSplitter(maximumMessageBytes: 100)
        Array("half".utf8).withUnsafeBytes { splitter.append($0) }
        #expect(splitter.waitingMessages == 0)
        #expect(splitter.unfinishedBytes == 4)
        #expect(splitter.takeMessage { $0.count } == nil)
    }

    @Test func messagesThatNobodyTookAreCounted() {
        var splitter = MessageSplitter(maximumMessageBytes: 100)
        (wire("a") + wire("bc") + Array("d".utf8)).withUnsafeBytes { splitter.append($0) }
        #expect(splitter.waitingMessages == 2)
        #expect(splitter.waitingBytes == 5)
        #expect(splitter.takeMessage { $0.count } == 1)
        #expect(splitter.waitingMessages == 1)
        #expect(splitter.waitingBytes == 3)
        #expect(splitter.unfinishedBytes == 1)
    }

    @Test(arguments: 1...12) func aMessageOfExactlyTheLimitIsTakenAndOneMoreIsNot(_ chunkSize: Int) {
        func chunks(_ bytes: [UInt8]) -> [[UInt8]] {
            stride(from: 0, to: bytes.count, by: chunkSize).map { Array(bytes[$0..<min($0 + chunkSize, bytes.count)]) }
        }
        let ten = wire("0123456789")
        let eleven = wire("0123456789A")
        #expect(split(chunks(ten + ten), limit: 10).messages.count == 2)
        #expect(!split(chunks(ten + ten), limit: 10).isOverlong)
        let result = split(chunks(ten + eleven + ten), limit: 10)
        #expect(result.messages.count == 1, "what came before is kept, what came after is not")
        #expect(result.isOverlong)
    }

    @Test func nothingOfAnOverlongMessageIsKept() {
        var splitter = MessageSplitter(maximumMessageBytes: 10)
        for _ in 0..<1000 { [UInt8](repeating: 0x20, count: 8).withUnsafeBytes { splitter.append($0) } }
        #expect(splitter.isOverlong)
        #expect(splitter.unfinishedBytes == 0)
        [UInt8](repeating: 0x20, count: 1 << 20).withUnsafeBytes { splitter.append($0) }
        #expect(splitter.unfinishedBytes == 0)
    }

    @Test func aLongQueueIsTakenInOrderWhileMoreComes() {
        var splitter = MessageSplitter(maximumMessageBytes: 100)
        var taken = 0
        for number in 0..<2000 {
            wire("\(number)").withUnsafeBytes { splitter.append($0) }
            guard number % 3 == 0 else { continue }
            let text = splitter.takeMessage { span in
                span.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            }
            #expect(text == "\(taken)")
            taken += 1
        }
        #expect(splitter.waitingMessages == 2000 - taken)
    }
}
