//! What a model is told of the states of a batch and of their legal moves.

use nestor_engine::problem::{Listed, Problem};

/// One array, by its name.
pub struct Feature {
    /// The name.
    pub name: &'static str,
    /// Whether it has a row for each move, those of the first state first, or one for each state.
    pub by_move: bool,
    /// The shape of a row; empty for a single number.
    pub row: Vec<usize>,
    /// The rows, one after the other.
    pub values: Values,
}

/// The numbers of an array.
pub enum Values {
    /// Real numbers.
    F64(Vec<f64>),
    /// Whole numbers.
    I64(Vec<i64>),
    /// Bytes.
    U8(Vec<u8>),
}

/// A number for each state, which `kind` takes.
pub fn of_states<P: Problem, V>(
    name: &'static str,
    listed: &[Listed<'_, P>],
    kind: fn(Vec<V>) -> Values,
    value: impl Fn(&P::State) -> V,
) -> Feature {
    let values = listed.iter().map(|each| value(each.state)).collect();
    Feature { name, by_move: false, row: Vec::new(), values: kind(values) }
}

/// A row of bytes for each state, which all have this shape.
pub fn bytes<P: Problem>(
    name: &'static str,
    listed: &[Listed<'_, P>],
    row: &[usize],
    write: impl Fn(&P::State, &mut [u8]),
) -> Feature {
    let size = row.iter().product::<usize>();
    let mut values = vec![0; size * listed.len()];
    for (number, each) in listed.iter().enumerate() {
        write(each.state, &mut values[number * size..][..size]);
    }
    Feature { name, by_move: false, row: row.to_vec(), values: Values::U8(values) }
}

/// A number for each move, which `kind` takes.
pub fn of_moves<P: Problem, V>(
    name: &'static str,
    listed: &[Listed<'_, P>],
    kind: fn(Vec<V>) -> Values,
    value: impl Fn(&P::State, P::Move) -> V,
) -> Feature {
    let moves = listed.iter().flat_map(|each| each.moves.iter().map(|&mv| (each.state, mv)));
    let values = moves.map(|(state, mv)| value(state, mv)).collect();
    Feature { name, by_move: true, row: Vec::new(), values: kind(values) }
}
