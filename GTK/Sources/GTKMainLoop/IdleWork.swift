import CMainLoop

/// Work for the main loop that is asked for often and done once.
@MainActor package final class IdleWork {
    /// When it is done after it was asked for.
    package enum Moment {
        /// In the next turn of the loop.
        case soon
        /// Once this many milliseconds have gone by, after all that is more urgent.
        case later(milliseconds: UInt32)
    }

    private let work: @MainActor () -> Void
    private var soon: UInt32 = 0
    private var later: UInt32 = 0

    package init(_ work: @escaping @MainActor () -> Void) { self.work = work }

    /// Asks for it; what is asked for again before it is done is done once.
    package func ask(_ moment: Moment) {
        switch moment {
        case .soon:
            guard soon == 0 else { return }
            soon = g_idle_add_full(MainLoop.Priority.usual, IdleWork.run, retained(), IdleWork.release)
        case .later(let milliseconds):
            guard soon == 0, later == 0 else { return }
            later = g_timeout_add_full(MainLoop.Priority.low, milliseconds, IdleWork.run, retained(), IdleWork.release)
        }
    }

    /// Asks for it no more.
    package func cancel() {
        for source in [soon, later] where source != 0 { g_source_remove(source) }
        (soon, later) = (0, 0)
    }

    private func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    private static let run: focusd_work = { data in
        guard let data else { return 0 }
        let address = UInt(bitPattern: data)
        MainActor.assumeIsolated {
            guard let data = UnsafeMutableRawPointer(bitPattern: address) else { return }
            let asked = Unmanaged<IdleWork>.fromOpaque(data).takeUnretainedValue()
            // The one that runs is removed by what it returns.
            let own = g_source_get_id(g_main_current_source())
            if asked.soon == own { asked.soon = 0 }
            if asked.later == own { asked.later = 0 }
            asked.cancel()
            asked.work()
        }
        return 0
    }

    private static let release: focusd_release = { data in
        if let data { Unmanaged<IdleWork>.fromOpaque(data).release() }
    }
}
