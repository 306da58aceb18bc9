//! The state of a search as bytes: compact, one part after another.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The byte before a part that older files lack. What else may stand there begins with another one.
const MORE: u8 = u8::MAX;

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

    /// Appends a part that older files lack.
    pub(crate) fn put_more(&mut self, part: &impl Serialize) {
        self.put(&(MORE, part));
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

    /// Takes what `put_more` appended, if it did.
    ///
    /// # Errors
    ///
    /// If the bytes are of something else.
    pub(crate) fn take_more<T: DeserializeOwned>(&mut self) -> Result<Option<T>, String> {
        let Some((&MORE, rest)) = self.0.split_first() else { return Ok(None) };
        self.0 = rest;
        self.take().map(Some)
    }

    /// Checks that nothing is left.
    pub(crate) fn finish(self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err("its state goes on too long".into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Algorithm::{BeamNrpa, BeamSearch, LocalSearch, Nmcs, Nrpa, Polished};
    use crate::biased::Biased;
    use crate::examples::{Digits, playouts};
    use crate::nrpa::settings::{LevelSettings, Policies, Settings};
    use crate::random::Key;
    use crate::{Algorithm, beam, beam_search, improve, nmcs};

    /// A search of every kind.
    fn every() -> Vec<Algorithm> {
        let nrpa = |width: u64, policies| {
            let level = LevelSettings { iterations: 4, ..LevelSettings::default() };
            let wide = LevelSettings { width, ..level };
            Nrpa(Settings { levels: vec![level, wide, level], policies, ..Settings::default() })
        };
        let leaf = LevelSettings { iterations: 4, width: 3, ..LevelSettings::default() };
        let leaf_parallel = Nrpa(Settings { levels: vec![leaf, leaf], ..Settings::default() });
        let levels = vec![beam::LevelSettings { iterations: 4, alpha: 1.0, beam: 2 }; 2];
        let beam = BeamNrpa(beam::Settings { levels, ..beam::Settings::default() });
        let levels = vec![nmcs::LevelSettings { beam: 2 }; 2];
        let nmcs = Nmcs(nmcs::Settings { levels, ..nmcs::Settings::default() });
        let polished = |nested: &Algorithm| {
            let nested = Box::new(nested.clone());
            Polished(improve::polish::Settings { tries: 1, kick: 0.5, nested })
        };
        let one = nrpa(1, Policies::Shared);
        vec![
            polished(&one),
            polished(&beam),
            one,
            leaf_parallel,
            nrpa(3, Policies::Shared),
            nrpa(3, Policies::Local),
            beam,
            nmcs,
            Nmcs(nmcs::Settings::default()),
            BeamSearch(beam_search::Settings::default()),
            LocalSearch(improve::Settings::default()),
        ]
    }

    #[test]
    fn parts_come_back_in_order_and_nothing_else() {
        let mut writer = Writer::default();
        writer.put(&(7_u64, 1.5));
        writer.put("digits");
        writer.put_more(&5_u64);
        let mut reader = Reader(&writer.0);
        assert_eq!(reader.take_more::<u64>(), Ok(None));
        assert_eq!(reader.take(), Ok((7_u64, 1.5)));
        assert_eq!(reader.take_last(), Ok(Some(String::from("digits"))));
        assert_eq!(reader.take_more(), Ok(Some(5_u64)));
        assert_eq!(reader.take_last::<u64>(), Ok(None));
        assert!(reader.take::<u64>().is_err());
        assert_eq!(reader.finish(), Ok(()));
        assert!(Reader(&writer.0).finish().is_err());
    }

    #[test]
    fn a_damaged_state_is_refused_or_of_another_search() {
        let game = Biased::from(Digits { base: 4, length: 6 });
        for algorithm in every() {
            let new = || algorithm.start(&game, Key(3)).unwrap();
            for done in [0, 1, 7, 30] {
                let mut search = new();
                search.advance(&game, &playouts(done));
                let saved = search.save();
                new().restore(&game, &saved).unwrap();
                // Older files have no trail and nothing adopted, or no trails of lanes.
                let mut older = Writer::default();
                search.write(&mut older);
                let oldest = older.0.len();
                older.put(&(&search.run.adopted, &search.run.meter.trail));
                let whole = [oldest, older.0.len()];
                for cut in (0..saved.len()).filter(|cut| !whole.contains(cut)) {
                    assert!(new().restore(&game, &saved[..cut]).is_err(), "{algorithm:?} {cut}");
                }
                let longer = [&saved[..], &[0]].concat();
                assert!(new().restore(&game, &longer).is_err());
                let mut refused = 0;
                for (place, bit) in (0..saved.len()).flat_map(|place| [(place, 1), (place, 128)]) {
                    let (mut changed, mut restored) = (saved.clone(), new());
                    changed[place] ^= bit;
                    match restored.restore(&game, &changed) {
                        Ok(()) => drop(restored.advance(&game, &playouts(done + 9))),
                        Err(_) => refused += 1,
                    }
                }
                assert!(refused > 0);
            }
        }
    }
}
