//! Scores of several parts, and the one number that a search compares.

use std::cell::Cell;

use super::Table;

/// The most parts of a score.
pub const MOST_PARTS: usize = 16;

/// How far a part may be from a multiple of its step, as a share of the step.
const NEAR: f64 = 1e-6;

/// What a table says of one part of its scores.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Part {
    /// The least value.
    pub least: f64,
    /// The greatest value.
    pub most: f64,
    /// Values are multiples of this.
    pub step: f64,
    /// The best that is possible; NaN if it is not known.
    pub optimum: f64,
    /// 1 if less is better, else 0.
    pub minimise: u64,
}

/// What a table says of all parts of its scores.
pub struct Parts {
    /// Whether no part comes before another, so that a front is looked for.
    pub front: bool,
    /// The parts, from the first on.
    pub parts: Vec<Part>,
}

thread_local! {
    static LAST: Cell<[f64; MOST_PARTS]> = const { Cell::new([f64::NAN; MOST_PARTS]) };
}

/// The parts of the score of a front that this thread has asked for last.
pub fn last_parts(count: usize) -> Vec<f64> {
    LAST.get()[..count.min(MOST_PARTS)].to_vec()
}

impl Parts {
    /// The parts of a table that was checked; nothing if its scores are single numbers.
    ///
    /// # Safety
    ///
    /// `parts` of the table points to as many as it says.
    pub unsafe fn of(table: &Table) -> Option<Self> {
        (table.part_count > 0).then(|| {
            // SAFETY: the caller says so, and the table was checked.
            let parts =
                unsafe { std::slice::from_raw_parts(table.parts, table.part_count as usize) };
            Parts { front: table.flags & super::FRONT != 0, parts: parts.to_vec() }
        })
    }

    /// The number that a search compares: the place of a score among all in their order, or its first
    /// part if a front is looked for.
    ///
    /// # Errors
    ///
    /// What is wrong with one of the parts.
    #[inline]
    pub fn number(&self, values: [f64; MOST_PARTS]) -> Result<f64, String> {
        if self.front {
            LAST.set(values);
            let wrong = values[..self.parts.len()].iter().find(|value| !value.is_finite());
            return match wrong {
                None => Ok(values[0]),
                Some(value) => Err(format!("of a front must give finite numbers, not {value}")),
            };
        }
        let mut place = 0i64;
        for (index, (part, &value)) in self.parts.iter().zip(&values).enumerate() {
            let (least, most) = ((part.least / part.step).round(), (part.most / part.step).round());
            let steps = value / part.step;
            let digit = steps.round_ties_even();
            if !(least <= digit && digit <= most && (steps - digit).abs() <= NEAR) {
                return Err(part.outside(index, value));
            }
            let turned = part.minimise != self.parts[0].minimise;
            let count = ((most - least) as i64).wrapping_add(1);
            place =
                place.wrapping_mul(count).wrapping_add(if turned { -digit } else { digit } as i64);
        }
        Ok(place as f64)
    }
}

impl Part {
    #[cold]
    fn outside(&self, index: usize, value: f64) -> String {
        let unit = match self.step {
            1.0 => "whole numbers".into(),
            step => format!("multiples of {step}"),
        };
        format!(
            "has {value} as part {} of a lexicographic score, whose values are {unit} from {} to {}: \
             round it, or give the problem other ranges, (least, most) or (least, most, step) for \
             each part",
            index + 1,
            self.least,
            self.most
        )
    }
}
