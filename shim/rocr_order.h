// Orders of threads that ROCr makes: it calls a queue's handler under the queue's own lock and after the
// queue was made, and all entries of its table after the tools have been loaded. ThreadSanitizer is blind
// to what ROCr does (tests/sanitizers/tsan.supp), so it is told. Elsewhere nothing happens here.
#pragma once

namespace meld {

#ifdef __SANITIZE_THREAD__
extern "C" void __tsan_acquire(void *) noexcept;
extern "C" void __tsan_release(void *) noexcept;
inline void nowMine(void *what) noexcept { __tsan_acquire(what); }
inline void nowAnyones(void *what) noexcept { __tsan_release(what); }
#else
inline void nowMine(void *) noexcept {}
inline void nowAnyones(void *) noexcept {}
#endif

} // namespace meld
