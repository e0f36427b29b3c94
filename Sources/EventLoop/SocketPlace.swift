import Glibc

/// The socket's place in the file system over the life of the service: taken at start, and taken again should it vanish.
///
/// Somebody may remove the folder, or another may take the path. Clients that are connected never notice; those that
/// come later need the path to lead here.
@Loop
package final class SocketPlace {
    /// How often it is tried again where the place cannot be made, as while the runtime folder is gone.
    private static let retryMilliseconds: Int64 = 1_000
    /// How long whoever removes the folder has to be done: a file made again at once would be in the way.
    private static let settleMilliseconds: Int64 = 200

    package typealias Watcher = @Loop (_ folder: String, _ body: @escaping @Loop () -> Void) -> FolderWatch?

    private let runtimeDirectory: String?
    private let backlog: Int32
    private var folder: SocketFolder
    /// The socket's file that leads here.
    private var served: FileIdentity?
    /// Whether that file is ours to remove: not where a service manager made it.
    private var isOurs = false
    private let watcher: Watcher
    /// How often it is looked where nothing tells.
    private let unwatchedMilliseconds: Int64
    private var watch: FolderWatch?
    /// Whether nothing tells of a loss, as where the system has no watch left.
    package private(set) var isUnwatched = false
    private var retry: LoopTimer?
    /// What was said last of why there is no place.
    private var trouble: String?

    /// The place was lost and taken again: the descriptor, for the taker to close, is what is served now.
    package var onRenewed: (@Loop (Int32) -> Void)?
    /// The place was lost and cannot be had for now; why, once for each reason.
    package var onTrouble: (@Loop (String) -> Void)?
    /// From now on a loss is noticed late.
    package var onUnwatched: (@Loop () -> Void)?
    /// Somebody else listens at the path now: this service is not found any more.
    package var onTaken: (@Loop (String) -> Void)?

    /// Takes the place. Throws, having touched nothing, where another serves or the folder is unsafe.
    ///
    /// `handedOver` is whether a service manager made the listening socket. `watcher` watches a folder, where it can.
    package init(
        runtimeDirectory: String?, handedOver: Bool, backlog: Int32,
        watcher: @escaping Watcher = { FolderWatch([$0], $1) },
        unwatchedMilliseconds: Int64 = 60_000
    ) throws(SocketFolder.Refusal) {
        self.runtimeDirectory = runtimeDirectory
        self.backlog = backlog
        self.watcher = watcher
        self.unwatchedMilliseconds = unwatchedMilliseconds
        folder = try SocketFolder(runtimeDirectory: runtimeDirectory, isHandedOver: handedOver)
    }

    package var path: String { folder.socketPath }

    package var folderPath: String { folder.path }

    /// Makes the place lead here. Returns a descriptor of our own to serve, where what was handed over does not do.
    package func open(handedOver isHandedOver: Bool) throws(SocketFolder.Refusal) -> Int32? {
        if isHandedOver {
            served = SocketFolder.identity(path)
            // Its file may have been removed, and even replaced by one of an earlier run, which is dead.
            if SocketAddress.isServed(path) {
                watchFolder()
                return nil
            }
        }
        return try listen()
    }

    private func listen() throws(SocketFolder.Refusal) -> Int32 {
        let descriptor = try folder.listen(backlog: backlog)
        served = SocketFolder.identity(path)
        isOurs = true
        watchFolder()
        return descriptor
    }

    /// Lets the place go: a file of ours is removed, if it still leads here.
    package func leave() {
        watch = nil
        retry = nil
        if isOurs, let served, SocketFolder.identity(path) == served { folder.removeSocket() }
    }

    // MARK: - Losing and taking it again

    private func watchFolder() {
        watch = watcher(folder.path) { [weak self] in self?.changed() }
        // What happened before the watch began.
        if SocketFolder.identity(path) != served { return look(afterMilliseconds: SocketPlace.settleMilliseconds) }
        let wasUnwatched = isUnwatched
        isUnwatched = watch == nil
        guard isUnwatched else { return }
        if !wasUnwatched { onUnwatched?() }
        look(afterMilliseconds: unwatchedMilliseconds)
    }

    private func changed() {
        guard SocketFolder.identity(path) != served, retry == nil else { return }
        look(afterMilliseconds: SocketPlace.settleMilliseconds)
    }

    private func look(afterMilliseconds milliseconds: Int64) {
        retry = LoopTimer(milliseconds: milliseconds) { [weak self] in self?.look() }
    }

    private func look() {
        retry = nil
        guard SocketFolder.identity(path) != served else {
            // There may be a watch to be had again.
            if watch == nil { watchFolder() }
            return
        }
        // ORDER: somebody who listens is never pushed aside.
        if SocketAddress.isServed(path) {
            watch = nil
            onTaken?(path)
            return
        }
        renew()
    }

    private func renew() {
        do throws(SocketFolder.Refusal) {
            if !folder.isStillThere { folder = try SocketFolder(runtimeDirectory: runtimeDirectory) }
            let descriptor = try listen()
            trouble = nil
            onRenewed?(descriptor)
        } catch {
            switch error {
            case .alreadyServed(let path), .listenedAt(let path):
                watch = nil
                onTaken?(path)
            case .noRuntimeDirectory, .unusable:
                if trouble != error.description { onTrouble?(error.description) }
                trouble = error.description
                look(afterMilliseconds: SocketPlace.retryMilliseconds)
            }
        }
    }
}
