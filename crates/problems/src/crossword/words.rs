//! The list of words, and what the rules look up in it.

use std::collections::HashSet;

use super::{MAX_SIZE, MAX_WORDS};

/// Letters of the alphabet.
const ALPHABET: usize = 26;

/// The first row of [`Words::reach`].
pub(super) const CELLS: usize = 0;

/// Words of capitals, numbered in the order of the list.
#[derive(Clone, Debug)]
pub(super) struct Words {
    texts: Vec<String>,
    /// Letters as numbers from 0, word after word, and where each word begins.
    letters: Vec<u8>,
    starts: Vec<usize>,
    shortest: usize,
    longest: usize,
    /// Row by row, one number for each word.
    reach: Vec<u64>,
    /// The words with a letter in a place, by letter, place, length and number.
    with: Vec<u16>,
    /// For each letter and place, the ends in `with` of the words of lengths up to 0, 1, 2...
    ends: Vec<[u32; MAX_SIZE + 1]>,
}

impl Words {
    /// Checks and indexes a list of words for a grid of this size.
    pub(super) fn new(size: usize, texts: &[String]) -> Result<Self, String> {
        if !(1..=MAX_WORDS).contains(&texts.len()) {
            return Err(format!("a list has 1 to {MAX_WORDS} words, not {}", texts.len()));
        }
        let mut seen = HashSet::new();
        for text in texts {
            if !text.bytes().all(|byte| byte.is_ascii_uppercase()) {
                return Err(format!("words must be in capitals A to Z, not {text:?}"));
            }
            if !(2..=size).contains(&text.len()) {
                return Err(format!("words for size {size} have 2 to {size} letters: {text}"));
            }
            if !seen.insert(text) {
                return Err(format!("{text} is twice in the list"));
            }
        }
        let mut words = Words {
            texts: texts.to_vec(),
            letters: texts.iter().flat_map(|text| text.bytes().map(|b| b - b'A')).collect(),
            starts: vec![0],
            shortest: texts.iter().map(String::len).min().unwrap_or(0),
            longest: texts.iter().map(String::len).max().unwrap_or(0),
            reach: vec![0; (ALPHABET + 1) * texts.len()],
            with: vec![],
            ends: vec![[0; MAX_SIZE + 1]; ALPHABET * MAX_SIZE],
        };
        for text in texts {
            words.starts.push(words.starts[words.starts.len() - 1] + text.len());
        }
        words.index_reach();
        words.index_places();
        Ok(words)
    }

    fn index_reach(&mut self) {
        for word in 0..self.len() {
            let letters = self.letters(word);
            let mut cells: [u64; ALPHABET] = [(1 << (letters.len() + 2)) - 1; ALPHABET];
            for (place, &letter) in (1..).zip(letters) {
                cells[usize::from(letter)] &= !(1 << place);
            }
            self.reach[CELLS + word] = ((1 << letters.len()) - 1) << 1;
            for (letter, cells) in (0..).zip(cells) {
                let row = self.row(letter);
                self.reach[row + word] = cells;
            }
        }
    }

    fn index_places(&mut self) {
        let mut entries: Vec<_> = (0..self.len())
            .flat_map(|word| {
                let letters = self.letters(word);
                let row = |(place, &letter): (usize, &u8)| usize::from(letter) * MAX_SIZE + place;
                letters.iter().enumerate().map(move |at| (row(at), letters.len(), word as u16))
            })
            .collect();
        entries.sort_unstable();
        self.with = entries.iter().map(|&(.., word)| word).collect();
        let mut end = 0;
        for (row, ends) in self.ends.iter_mut().enumerate() {
            for (length, place) in ends.iter_mut().enumerate() {
                while entries.get(end).is_some_and(|&(r, l, _)| (r, l) <= (row, length)) {
                    end += 1;
                }
                *place = end as u32;
            }
        }
    }

    /// The number of words.
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// The number of a word.
    pub(super) fn number(&self, text: &str) -> Option<usize> {
        self.texts.iter().position(|word| word == text)
    }

    /// The word as it is in the list; nothing for a number that a damaged file has made up.
    pub(super) fn text(&self, word: usize) -> &str {
        self.texts.get(word).map_or("", |text| text)
    }

    /// The word's letters as numbers from 0.
    pub(super) fn letters(&self, word: usize) -> &[u8] {
        &self.letters[self.starts[word]..self.starts[word + 1]]
    }

    /// The number of letters of the shortest word.
    pub(super) fn shortest(&self) -> usize {
        self.shortest
    }

    /// The number of letters of the longest word.
    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    /// The row of [`Words::reach`] of a letter.
    #[inline(always)]
    pub(super) fn row(&self, letter: u8) -> usize {
        (1 + usize::from(letter)) * self.texts.len()
    }

    /// The cells of a word in a lane that conflict with something new there. Bit i + 1 stands for
    /// cell i of the word, so the first bit is the cell before the word.
    ///
    /// In the row [`CELLS`] these are the cells that the word covers: none of them may be closed.
    /// In the row of a letter, the two cells at the ends of the word are added, and the cells where
    /// the word has this letter are left out: the letter may be nowhere else.
    #[inline(always)]
    pub(super) fn reach(&self, row: usize, word: usize) -> u64 {
        self.reach[row + word]
    }

    /// How often this letter occurs in the words.
    #[inline(always)]
    pub(super) fn occurrences(&self, letter: u8) -> usize {
        let rows = &self.ends[usize::from(letter) * MAX_SIZE..][..MAX_SIZE];
        (rows[MAX_SIZE - 1][MAX_SIZE] - rows[0][0]) as usize
    }

    /// The words with this letter at this place, of at most this length, shorter words first.
    #[inline(always)]
    pub(super) fn with(&self, letter: u8, before: usize, length: usize) -> &[u16] {
        let ends = &self.ends[usize::from(letter) * MAX_SIZE + before];
        &self.with[ends[0] as usize..ends[length] as usize]
    }
}
