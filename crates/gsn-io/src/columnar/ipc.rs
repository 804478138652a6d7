//! Arrow IPC, message by message.
//!
//! An Arrow file is a stream between two magic words with a table of contents behind it, so both
//! are read front to back, from pipes as well. Lengths in the data are used only as far as
//! bytes follow: the readers of arrow-ipc allocate first, and a damaged file would end the process.

use super::{damaged, failed, refused};
use crate::error::Error;
use crate::guard::guarded;
use crate::input::Bytes;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{MessageHeader, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use gsn_core::memory;
use std::collections::HashMap;
use std::io::Read;
use std::sync::Arc;

const MAGIC: &[u8] = b"ARROW1";
/// Bytes to which a packed buffer of any size may unpack, and how much it may grow beyond that.
const UNPACKED_FREE: i64 = 1 << 26;
const UNPACKED_RATIO: i64 = 1 << 12;

/// The record batches of an Arrow file or stream.
pub(crate) struct ArrowBatches {
    name: String,
    bytes: Bytes,
    is_file: bool,
    schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    /// Record batches so far.
    read: u64,
    ended: bool,
}

impl ArrowBatches {
    /// Reads up to the schema.
    pub(crate) fn open(name: &str, bytes: Bytes) -> Result<Self, Error> {
        let fail = |e: &dyn std::fmt::Display| damaged(name, "Arrow", "in its schema", e);
        let started = guarded(|| Self::start(name, bytes)).map_err(|e| fail(&e))?;
        started.map_err(|e| failed(name, "Arrow", "in its schema", &e))
    }

    fn start(name: &str, mut bytes: Bytes) -> Result<Self, ArrowError> {
        let mut start = [0; 8];
        let is_file = bytes.fill_buf()?.starts_with(MAGIC);
        if is_file {
            bytes.read_exact(&mut start)?;
            // Writers fill up with zeros to the boundary they like; a message starts with ones.
            while bytes.fill_buf()?.first() == Some(&0) {
                bytes.consume(1);
            }
        }
        let schema = Arc::new(arrow_schema::Schema::empty());
        let dictionaries = HashMap::new();
        let (name, read, ended) = (name.to_owned(), 0, false);
        let mut batches = Self { name, bytes, is_file, schema, dictionaries, read, ended };
        let Some((meta, _)) = batches.message()? else {
            return Err(invalid("it ends before its schema"));
        };
        let message = root_as_message(&meta).map_err(|e| invalid(&e.to_string()))?;
        let schema = message.header_as_schema().ok_or_else(|| invalid("no schema"))?;
        batches.schema = Arc::new(fb_to_schema(schema));
        Ok(batches)
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next message and its body; nothing at the end.
    fn message(&mut self) -> Result<Option<(Vec<u8>, Buffer)>, ArrowError> {
        let mut size = self.exactly(4, true)?;
        if size == [0xff; 4] {
            size = self.exactly(4, false)?;
        }
        let size = match <[u8; 4]>::try_from(&size[..]) {
            // A stream may just end; a file says so.
            Err(_) if self.is_file => return Err(invalid("it ends too early")),
            Err(_) | Ok([0, 0, 0, 0]) => return self.end().map(|()| None),
            Ok(size) => u32::from_le_bytes(size),
        };
        let meta = self.exactly(u64::from(size), false)?;
        let message = root_as_message(&meta).map_err(|e| invalid(&e.to_string()))?;
        let length = u64::try_from(message.bodyLength()).map_err(|_| invalid("a negative size"))?;
        let body = self.exactly(length, false)?;
        Ok(Some((meta, Buffer::from_vec(body))))
    }

    /// So many bytes, in memory as they arrive; none at the end if that `may_end`.
    fn exactly(&mut self, length: u64, may_end: bool) -> Result<Vec<u8>, ArrowError> {
        let mut out = Vec::new();
        (&mut self.bytes).take(length).read_to_end(&mut out)?;
        if (out.len() as u64) < length && !(may_end && out.is_empty()) {
            return Err(invalid("it ends too early"));
        }
        Ok(out)
    }

    /// Reads to the end of the input; a file must end in its magic word.
    fn end(&mut self) -> Result<(), ArrowError> {
        self.ended = true;
        let mut last = Vec::new();
        let mut chunk = [0; 1 << 12];
        loop {
            let n = self.bytes.read(&mut chunk)?;
            if n == 0 {
                break;
            }
            last.extend_from_slice(&chunk[..n]);
            last.drain(..last.len().saturating_sub(MAGIC.len()));
        }
        if self.is_file && last != MAGIC {
            return Err(invalid("it ends too early"));
        }
        Ok(())
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        while !self.ended {
            let Some((meta, body)) = self.message()? else { break };
            let message = root_as_message(&meta).map_err(|e| invalid(&e.to_string()))?;
            let version = message.version();
            match message.header_type() {
                MessageHeader::RecordBatch => {
                    let batch = message.header_as_record_batch().ok_or_else(|| invalid("batch"))?;
                    check_sizes(&batch, &body)?;
                    let (schema, known) = (self.schema.clone(), &self.dictionaries);
                    return read_record_batch(&body, batch, schema, known, None, &version)
                        .map(Some);
                }
                MessageHeader::DictionaryBatch => {
                    let batch = message
                        .header_as_dictionary_batch()
                        .ok_or_else(|| invalid("dictionary"))?;
                    check_sizes(&batch.data().ok_or_else(|| invalid("dictionary"))?, &body)?;
                    let (schema, known) = (&self.schema, &mut self.dictionaries);
                    read_dictionary(&body, batch, schema, known, &version)?;
                }
                other => return Err(invalid(&format!("a message of type {other:?}"))),
            }
        }
        Ok(None)
    }
}

impl Iterator for ArrowBatches {
    type Item = Result<RecordBatch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = guarded(|| self.next_batch());
        let place = format!("in record batch {}", self.read + 1);
        let error = match next {
            Ok(Ok(batch)) => {
                self.read += u64::from(batch.is_some());
                return batch.map(Ok);
            }
            Ok(Err(error)) => failed(&self.name, "Arrow", &place, &error),
            Err(error) => damaged(&self.name, "Arrow", &place, &error),
        };
        self.ended = true;
        Some(Err(error))
    }
}

fn invalid(reason: &str) -> ArrowError {
    ArrowError::IpcError(reason.to_owned())
}

/// Refuses packed buffers that claim to unpack to more than they can.
fn check_sizes(batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<(), ArrowError> {
    if batch.compression().is_none() {
        return Ok(());
    }
    let mut unpacked = 0u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok();
        let prefix = start.and_then(|start| body.get(start..)?.get(..8)?.try_into().ok());
        let (Some(prefix), 8..) = (prefix, buffer.length()) else { continue };
        let packed = buffer.length().min(body.len() as i64);
        unpacked = unpacked.saturating_add(i64::from_le_bytes(prefix).try_into().unwrap_or(0));
        if i64::from_le_bytes(prefix) > UNPACKED_FREE.max(packed.saturating_mul(UNPACKED_RATIO)) {
            return Err(invalid("a packed part claims an impossible size"));
        }
    }
    memory::ask(unpacked, || "this part".into()).map_err(refused)
}
