use std::collections::HashMap;
use std::time::Duration;

use nestor_engine::random::{Key, Random};

use super::super::model::NONE;
use super::*;

/// A model with random energies in steps of `step`; larger steps give more ties.
pub(in super::super) fn random_model(random: &mut Random, step: i32) -> Model {
    let sizes = [
        ("stack", 49),
        ("mismatch_hairpin", 175),
        ("mismatch_internal", 175),
        ("mismatch_internal_1n", 175),
        ("mismatch_internal_23", 175),
        ("mismatch_multi", 175),
        ("mismatch_exterior", 175),
        ("dangle5", 35),
        ("dangle3", 35),
        ("int11", 1225),
        ("int21", 6125),
        ("int22", 9216),
        ("hairpin", 31),
        ("bulge", 31),
        ("internal", 31),
        ("ml_params", 3),
        ("ninio", 2),
        ("misc", 1),
    ];
    let mut energy = || step * (random.uniform() * 9.0 - 5.0) as i32;
    let tables: HashMap<_, Vec<i32>> =
        sizes.map(|(name, size)| (name.to_owned(), (0..size).map(|_| energy()).collect())).into();
    let special = [("GAAAC", 3), ("CGAAAG", -7), ("GACGUAAC", 2)];
    let special = special.map(|(bases, energy)| (bases.to_owned(), step * energy)).into();
    Model::new(&tables, &special, 100.0, false).unwrap()
}

pub(in super::super) fn random_sequence(random: &mut Random, most: usize) -> Vec<u8> {
    let length = 1 + (random.uniform() * most as f64) as usize;
    (0..length).map(|_| b"ACGU"[(random.uniform() * 4.0) as usize]).collect()
}

/// Calls `visit` with every structure of a sequence: each base unpaired or paired to a later one.
fn every_structure(
    bases: &[u8],
    position: usize,
    partners: &mut [Option<u16>],
    visit: &mut impl FnMut(&[Option<u16>]),
) {
    if position == bases.len() {
        return visit(partners);
    }
    if partners[position].is_some() {
        return every_structure(bases, position + 1, partners, visit);
    }
    every_structure(bases, position + 1, partners, visit);
    for other in position + TURN + 1..bases.len() {
        let crosses = (position..other).any(|inside| {
            partners[inside].is_some_and(|p| usize::from(p) < position || usize::from(p) > other)
        });
        let free = partners[other].is_none();
        if free && !crosses && kind(bases, position, other) != usize::from(NONE) {
            partners[position] = Some(other as u16);
            partners[other] = Some(position as u16);
            every_structure(bases, position + 1, partners, visit);
            partners[position] = None;
            partners[other] = None;
        }
    }
}

fn text(partners: &[Option<u16>]) -> String {
    let symbol = |(position, partner): (usize, &Option<u16>)| match partner {
        Some(partner) if usize::from(*partner) > position => '(',
        Some(_) => ')',
        None => '.',
    };
    partners.iter().enumerate().map(symbol).collect()
}

#[test]
fn the_minimum_is_that_of_all_structures() {
    let mut random = Random::new(Key(1));
    let (mut tables, mut structure) = (Tables::default(), Vec::new());
    let (mut ties, mut junctions) = (0, 0);
    for case in 0..400 {
        let model = random_model(&mut random, [1, 10, 100][case % 3]);
        for _ in 0..3 {
            let sequence = random_sequence(&mut random, 19);
            let minimum = tables.fold(&model, &sequence, &mut structure);
            let bases = tables.bases().to_vec();
            let mut best: (i32, Vec<String>) = (i32::MAX, Vec::new());
            let mut partners = vec![None; bases.len()];
            every_structure(&bases, 0, &mut partners, &mut |partners| {
                let energy = model.evaluate(&bases, partners);
                if energy < best.0 {
                    best = (energy, Vec::new());
                }
                if energy == best.0 {
                    best.1.push(text(partners));
                }
            });
            let name = String::from_utf8_lossy(&sequence);
            let found = String::from_utf8_lossy(&structure).into_owned();
            assert_eq!(minimum, best.0, "{name}");
            assert!(best.1.contains(&found), "{name}: {found} is none of {:?}", best.1);
            junctions += u32::from(found.contains(")(") && found.starts_with('('));
            ties += u32::from(best.1.len() > 1);
        }
    }
    assert!(ties > 100 && junctions > 5, "{ties} {junctions}");
}

#[test]
fn tables_of_a_similar_sequence_serve_again() {
    let mut random = Random::new(Key(2));
    let models = [random_model(&mut random, 1), random_model(&mut random, 10)];
    let mut used = Tables::default();
    let mut sequence = random_sequence(&mut random, 90);
    for round in 0..300 {
        if round % 30 == 0 {
            sequence = random_sequence(&mut random, 90);
        }
        for _ in 0..round % 5 {
            let place = random.below(sequence.len());
            sequence[place] = b"ACGU"[random.below(4)];
        }
        let model = &models[round / 15 % 2];
        if round % 4 == 0 {
            // Given up at some row, or not: the next fold is right.
            let other = random_sequence(&mut random, 90);
            let end = Instant::now() + Duration::from_nanos(random.below(40_000) as u64);
            used.fold_until(Some(end), model, &other, &mut Vec::new());
            let now = Some(Instant::now());
            assert_eq!(used.fold_until(now, &models[0], &[b'G'; 80], &mut Vec::new()), None);
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let found = used.fold(model, &sequence, &mut first);
        assert_eq!(found, Tables::default().fold(model, &sequence, &mut second), "{round}");
        assert_eq!(first, second, "{round}");
    }
}

#[test]
fn a_fold_goes_on_where_it_was_left() {
    let mut random = Random::new(Key(5));
    let model = random_model(&mut random, 1);
    let (mut tables, mut first, mut second) = (Tables::default(), Vec::new(), Vec::new());
    let mut pauses = 0;
    for round in 0..30 {
        let sequence = random_sequence(&mut random, 150);
        let mut calls = 1;
        while !tables.fill(Some(Instant::now()), &model, &sequence) {
            calls += 1;
            assert!(tables.hold(&model, &sequence));
        }
        assert!(calls <= sequence.len().div_ceil(ROWS), "{round}");
        pauses += calls - 1;
        let found = tables.fold_until(Some(Instant::now()), &model, &sequence, &mut first);
        let expected = Tables::default().fold(&model, &sequence, &mut second);
        assert_eq!((found, first.as_slice()), (Some(expected), second.as_slice()), "{round}");
    }
    assert!(pauses > 150, "{pauses}");
}

#[test]
fn shortcuts_leave_nothing_out() {
    let mut random = Random::new(Key(6));
    let (mut tables, mut splits) = (Tables::default(), 0);
    for case in 0..12 {
        let model = random_model(&mut random, [1, 10, 100][case % 3]);
        let mut sequence = random_sequence(&mut random, 160);
        for _ in 0..3 {
            tables.fold(&model, &sequence, &mut Vec::new());
            let n = sequence.len();
            for i in 0..n {
                let far = tables.fill_loops(&model, i, i + FAR);
                for j in far..n {
                    assert_eq!(tables.loops[j], tables.best_loops(&model, i, j));
                }
                for j in i + TURN + 1..n {
                    let many = |i: usize, j: usize| tables.many[tables.at(i, j)];
                    let sums = (i + TURN + 1..j.saturating_sub(TURN + 1))
                        .map(|k| many(i, k) + many(k + 1, j));
                    let least = sums.min().unwrap_or(INFINITE);
                    if least < INFINITE / 2 {
                        assert_eq!(tables.split[tables.at(i, j)], least, "{i} {j}");
                        splits += 1;
                    }
                }
            }
            let place = random.below(n);
            sequence[place] = b"ACGU"[random.below(4)];
        }
    }
    assert!(splits > 20_000, "{splits}");
}

#[test]
fn a_structure_has_its_minimum_as_energy() {
    let mut random = Random::new(Key(3));
    let (mut tables, mut structure) = (Tables::default(), Vec::new());
    let mut long_loops = 0;
    for _ in 0..200 {
        let model = random_model(&mut random, 1);
        let sequence = random_sequence(&mut random, 120);
        let minimum = tables.fold(&model, &sequence, &mut structure);
        let partners = super::super::partners(&structure).unwrap();
        assert_eq!(model.evaluate(tables.bases(), &partners), minimum);
        long_loops += u32::from(structure.windows(25).any(|part| part == [b'.'; 25]));
    }
    assert!(long_loops > 0);
}

#[test]
fn nothing_inside_a_pair_costs_less() {
    let mut random = Random::new(Key(4));
    let (mut tables, mut text, mut pairs) = (Tables::default(), Vec::new(), 0);
    for _ in 0..60 {
        let [model, other] = [random_model(&mut random, 1), random_model(&mut random, 1)];
        let sequence = random_sequence(&mut random, 100);
        tables.fold(&other, &sequence, &mut text);
        let foreign = super::super::partners(&text).unwrap();
        tables.fold(&model, &sequence, &mut text);
        let folded = super::super::partners(&text).unwrap();
        for structure in [&foreign, &folded] {
            for i in 0..structure.len() {
                let Some(j) = structure[i].map(usize::from).filter(|&j| i < j) else { continue };
                tables.inside(&model, i, j, &mut text);
                let found = super::super::partners(&text).unwrap();
                assert_eq!(found[i], structure[i]);
                let energy = |partners: &[Option<u16>]| {
                    let mut only = vec![None; partners.len()];
                    only[i..=j].copy_from_slice(&partners[i..=j]);
                    model.evaluate(tables.bases(), &only)
                };
                assert!(energy(&found) <= energy(structure));
                assert!(structure != &folded || energy(&found) == energy(structure));
                pairs += 1;
            }
        }
    }
    assert!(pairs > 500, "{pairs}");
}

#[test]
fn wrong_tables_are_named() {
    let model = |tables: &[(&str, usize)]| {
        let tables = tables.iter().map(|&(name, size)| (name.to_owned(), vec![0; size]));
        Model::new(&tables.collect(), &HashMap::new(), 100.0, false).unwrap_err()
    };
    assert!(model(&[]).contains("is missing"));
    assert!(model(&[("ml_params", 3), ("ninio", 2), ("internal", 30)]).contains("30 numbers"));
}
