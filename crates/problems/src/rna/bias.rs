//! Biases that depend on what is already decided.

use super::{MOVES, index};

/// The biases of moves by their context: one row of betas, for the moves 0 to 9, per context.
#[derive(Clone, Debug)]
pub struct Contexts {
    rules: Rules,
    betas: Vec<[f64; MOVES]>,
}

#[derive(Clone, Debug)]
enum Rules {
    /// The row is 0 for the first move, then 1 + the previous move.
    Previous,
    /// Each place has a rule.
    PerPlace(Vec<Rule>),
}

/// Finds the row of a place from the bases already decided.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// The first case that holds gives the row.
    pub cases: Vec<Case>,
    /// Otherwise the base at this position does: this row for A, the next three for C, G and U.
    pub by_base: Option<(u16, u16)>,
    /// Otherwise it is this row.
    pub otherwise: u16,
}

/// Two bases that must stand at two positions for a row to be taken.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The positions.
    pub positions: [u16; 2],
    /// The bases.
    pub bases: [u8; 2],
    /// The row.
    pub row: u16,
}

impl Contexts {
    /// Betas by the previous move: a row for the first move, then one for each of the 10.
    ///
    /// # Errors
    ///
    /// If there are not 11 rows of 10.
    pub fn previous(betas: &[f64]) -> Result<Self, String> {
        let betas = table(betas)?;
        match betas.len() {
            11 => Ok(Contexts { rules: Rules::Previous, betas }),
            rows => Err(format!("betas by the previous move need 11 rows, not {rows}")),
        }
    }

    /// Betas by the bases decided: a rule for each place, in the order of the places.
    ///
    /// # Errors
    ///
    /// If a row does not have 10 betas.
    pub fn per_place(rules: Vec<Rule>, betas: &[f64]) -> Result<Self, String> {
        Ok(Contexts { rules: Rules::PerPlace(rules), betas: table(betas)? })
    }

    /// Checks all positions and rows.
    pub(super) fn check(&self, length: usize, places: usize) -> Result<(), String> {
        let Rules::PerPlace(rules) = &self.rules else { return Ok(()) };
        if rules.len() != places {
            return Err(format!("{places} places need {places} rules, not {}", rules.len()));
        }
        let rows = self.betas.len();
        let fits = |position: u16| usize::from(position) < length;
        let has = |row: u16| usize::from(row) < rows;
        for rule in rules {
            let cases = rule.cases.iter().all(|c| has(c.row) && c.positions.into_iter().all(fits));
            let base = rule.by_base.is_none_or(|(at, row)| fits(at) && usize::from(row) + 3 < rows);
            if !(cases && base && has(rule.otherwise)) {
                return Err(format!("a rule must keep to {length} positions and {rows} rows"));
            }
        }
        Ok(())
    }

    /// The betas of a place.
    pub(super) fn betas(&self, place: usize, previous: u8, sequence: &[u8]) -> &[f64; MOVES] {
        let row = match &self.rules {
            Rules::Previous => usize::from(previous),
            Rules::PerPlace(rules) => usize::from(rules[place].row(sequence)),
        };
        &self.betas[row]
    }
}

impl Rule {
    fn row(&self, sequence: &[u8]) -> u16 {
        let at = |position: u16| sequence[usize::from(position)];
        if let Some(case) = self.cases.iter().find(|case| case.positions.map(at) == case.bases) {
            return case.row;
        }
        self.by_base
            .and_then(|(position, row)| Some(row + index(at(position))? as u16))
            .unwrap_or(self.otherwise)
    }
}

/// Rows of betas, each finite or minus infinity.
fn table(betas: &[f64]) -> Result<Vec<[f64; MOVES]>, String> {
    let (rows, rest) = betas.as_chunks::<MOVES>();
    if !rest.is_empty() || rows.is_empty() {
        return Err(format!("betas come in rows of {MOVES}, not {}", betas.len()));
    }
    match betas.iter().find(|beta| beta.is_nan() || **beta > 700.0) {
        Some(beta) => Err(format!("a beta is at most 700, not {beta}")),
        None => Ok(rows.to_vec()),
    }
}
