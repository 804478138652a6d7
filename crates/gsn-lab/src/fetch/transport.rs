//! One HTTP request: all that is asked of the library that speaks HTTP and TLS.
//!
//! Without the cargo feature `fetch` that library is not there and every request fails.

use super::client::Patience;
use crate::error::Error;
use std::io::Read;

/// Why an attempt failed: for good, or worth another.
pub(super) enum Broken {
    Final(Error),
    Again(String),
}

/// What a server answers.
pub(super) struct Answer {
    pub(super) status: u16,
    /// The first byte of a part.
    pub(super) start: Option<u64>,
    /// Bytes of the body, if the server says so.
    pub(super) length: Option<u64>,
    pub(super) body: Box<dyn Read>,
}

#[cfg(feature = "fetch")]
pub(super) struct Transport(ureq::Agent);

#[cfg(feature = "fetch")]
impl Transport {
    /// HTTPS only and by the proxy of the environment, or also HTTP and by none.
    pub(super) fn new(patience: &Patience, https_only: bool) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(8)
            .timeout_resolve(Some(patience.connect))
            .timeout_connect(Some(patience.connect))
            .timeout_recv_response(Some(patience.stall))
            .timeout_per_read(Some(patience.stall))
            .user_agent(concat!("gsn/", env!("CARGO_PKG_VERSION")))
            .https_only(https_only);
        let config = if https_only { config } else { config.proxy(None) };
        Self(config.build().into())
    }

    /// Asks for `url` from byte `start` on.
    pub(super) fn get(&self, url: &str, start: u64) -> Result<Answer, Broken> {
        use ureq::Error::{
            BadUri, InvalidProxyUrl, RedirectFailed, RequireHttpsOnly, TooManyRedirects,
        };
        use ureq::http::header;
        let mut request = self.0.get(url);
        if start > 0 {
            request = request.header(header::RANGE, format!("bytes={start}-"));
        }
        let response = request.call().map_err(|error| match error {
            BadUri(_) | InvalidProxyUrl | RedirectFailed | RequireHttpsOnly(_)
            | TooManyRedirects => Broken::Final(Error::file(url, error)),
            _ => Broken::Again(error.to_string()),
        })?;
        let head = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        Ok(Answer {
            status: response.status().as_u16(),
            start: head(header::CONTENT_RANGE).and_then(range_start),
            length: head(header::CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()),
            body: Box::new(response.into_body().into_reader()),
        })
    }
}

/// The first byte of `bytes 10-99/100`.
#[cfg(feature = "fetch")]
fn range_start(text: &str) -> Option<u64> {
    text.trim().strip_prefix("bytes")?.trim_start().split('-').next()?.parse().ok()
}

#[cfg(not(feature = "fetch"))]
pub(super) struct Transport;

#[cfg(not(feature = "fetch"))]
impl Transport {
    pub(super) fn new(_: &Patience, _: bool) -> Self {
        Self
    }

    pub(super) fn get(&self, url: &str, _: u64) -> Result<Answer, Broken> {
        let what = "cannot be fetched: this program was built without the cargo feature `fetch`; \
                    fetch it by other means and put it into the data folder";
        // Nothing builds the other outcome here.
        let _ = Broken::Again;
        Err(Broken::Final(Error::file(url, what)))
    }
}
