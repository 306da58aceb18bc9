//! Biases that depend on what is already decided.

use serde::Deserialize;

use super::{MOVES, index};

/// The biases of moves by their context.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contexts {
    /// For each context, beta of the moves 0 to 9.
    pub betas: Vec<[f64; MOVES]>,
    /// The rule of each place, in the order of the places. Without rules the row is 0 for the first
    /// move, then 1 + the previous move.
    pub rules: Option<Vec<Rule>>,
}

/// Finds the row of a place from the bases already decided.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The first case that holds gives the row.
    pub cases: Vec<Case>,
    /// Otherwise the base at this position does: this row for A, the next three for C, G and U.
    pub by_base: Option<(u16, u16)>,
    /// Otherwise it is this row.
    pub otherwise: u16,
}

/// Two bases that must stand at two positions for a row to be taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The position of the first base.
    pub first: u16,
    /// The position of the second base.
    pub second: u16,
    /// The bases.
    pub bases: [char; 2],
    /// The row.
    pub row: u16,
}

impl Contexts {
    /// Checks all betas, positions and rows.
    pub(super) fn check(&self, length: usize, places: usize) -> Result<(), String> {
        let rows = self.betas.len();
        if let Some(beta) = self.betas.iter().flatten().find(|beta| beta.is_nan() || **beta > 700.0)
        {
            return Err(format!("a beta is at most 700, not {beta}"));
        }
        let Some(rules) = &self.rules else {
            return match rows {
                11 => Ok(()),
                _ => Err(format!("betas by the previous move need 11 rows, not {rows}")),
            };
        };
        if rules.len() != places {
            return Err(format!("{places} places need {places} rules, not {}", rules.len()));
        }
        let fits = |position: u16| usize::from(position) < length;
        let has = |row: u16| usize::from(row) < rows;
        for rule in rules {
            let cases = rule.cases.iter().all(|c| has(c.row) && fits(c.first) && fits(c.second));
            let base = rule.by_base.is_none_or(|(at, row)| fits(at) && usize::from(row) + 3 < rows);
            if !(cases && base && has(rule.otherwise)) {
                return Err(format!("a rule must keep to {length} positions and {rows} rows"));
            }
        }
        Ok(())
    }

    /// The betas of a place.
    pub(super) fn betas(&self, place: usize, previous: u8, sequence: &[u8]) -> &[f64; MOVES] {
        let row = self.rules.as_ref().map(|rules| rules[place].row(sequence));
        &self.betas[usize::from(row.unwrap_or(previous.into()))]
    }
}

impl Rule {
    fn row(&self, sequence: &[u8]) -> u16 {
        let at = |position: u16| sequence[usize::from(position)];
        let holds = |case: &&Case| [at(case.first), at(case.second)].map(char::from) == case.bases;
        if let Some(case) = self.cases.iter().find(holds) {
            return case.row;
        }
        self.by_base
            .and_then(|(position, row)| Some(row + index(at(position))? as u16))
            .unwrap_or(self.otherwise)
    }
}
