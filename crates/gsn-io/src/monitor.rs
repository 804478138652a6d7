//! How a long call is watched and stopped from outside.

use crate::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How far a call is. More kinds may come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Rows of the input that were read, and graphs among them that are done with.
    Rows {
        /// Rows, rejected ones included.
        read: u64,
        /// Graphs that were counted, written or predicted.
        done: u64,
    },
    /// Share of one large graph that is counted, 0 to 1.
    LargeGraph(f64),
    /// A graph of a sample is recounted.
    Recount {
        /// Which, from 1.
        graph: usize,
        /// How many there are.
        of: usize,
    },
}

/// Hears how far a call is and can stop it. The default does neither.
///
/// ```
/// use gsn_io::{Event, Monitor};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// let switch = Arc::new(AtomicBool::new(false));
/// let monitor = Monitor::default()
///     .with_cancel(switch.clone())
///     .with_events(|event| {
///         if let Event::Rows { read, .. } = event {
///             println!("{read} rows");
///         }
///     });
/// assert!(monitor.check().is_ok());
/// switch.store(true, Ordering::Relaxed); // from a signal handler or another thread
/// assert!(monitor.check().is_err());
/// ```
#[derive(Clone, Default)]
pub struct Monitor {
    cancel: Option<Arc<AtomicBool>>,
    events: Option<Arc<dyn Fn(Event) + Send + Sync>>,
}

impl Monitor {
    /// Turning `switch` on stops the call with [`Error::Cancelled`].
    #[must_use]
    pub fn with_cancel(self, switch: Arc<AtomicBool>) -> Self {
        Self { cancel: Some(switch), ..self }
    }

    /// `call` hears of every event, from any thread; it should be quick.
    #[must_use]
    pub fn with_events(self, call: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self { events: Some(Arc::new(call)), ..self }
    }

    /// The switch, if there is one.
    pub fn cancel(&self) -> Option<&Arc<AtomicBool>> {
        self.cancel.as_ref()
    }

    /// Passes an event on.
    pub fn tell(&self, event: Event) {
        if let Some(call) = &self.events {
            call(event);
        }
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`Error::Cancelled`] when the switch was turned on.
    pub fn check(&self) -> Result<(), Error> {
        match &self.cancel {
            Some(switch) if switch.load(Ordering::Relaxed) => Err(Error::Cancelled),
            _ => Ok(()),
        }
    }
}

impl std::fmt::Debug for Monitor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Monitor").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}
