//! Ctrl-C asks the work to stop; a second Ctrl-C ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch that Ctrl-C (or a termination signal) turns on.
///
/// Call once a process. Where signals cannot be caught the switch stays off and Ctrl-C ends the
/// program, which leaves no half-written output either: files get their name when complete.
pub(crate) fn switch() -> Arc<AtomicBool> {
    let switch = Arc::new(AtomicBool::new(false));
    let turned = switch.clone();
    let _ = ctrlc::set_handler(move || {
        if turned.swap(true, Ordering::SeqCst) {
            std::process::exit(2);
        }
    });
    switch
}
