//! The state of a search as bytes: compact, one part after another.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes parts one after another.
#[derive(Default)]
pub struct Writer(pub(crate) Vec<u8>);

impl Writer {
    /// Appends a part.
    pub fn put(&mut self, part: &(impl Serialize + ?Sized)) {
        let bytes = std::mem::take(&mut self.0);
        // A vector takes everything, and no type that is saved here can fail to serialise.
        self.0 = postcard::to_extend(part, bytes).unwrap_or_default();
    }
}

/// Reads the parts in the same order.
pub struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    /// Takes the next part.
    ///
    /// # Errors
    ///
    /// If the bytes are of something else.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        let (part, rest) = postcard::take_from_bytes(self.0)
            .map_err(|error| format!("its state cannot be read: {error}"))?;
        self.0 = rest;
        Ok(part)
    }

    /// Takes one more part, if anything is left.
    pub(crate) fn take_last<T: DeserializeOwned>(&mut self) -> Result<Option<T>, String> {
        if self.0.is_empty() { Ok(None) } else { self.take().map(Some) }
    }

    /// Checks that nothing is left.
    pub(crate) fn finish(self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err("its state goes on too long".into()) }
    }
}
