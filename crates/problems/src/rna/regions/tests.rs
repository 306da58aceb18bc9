use nestor_engine::random::{Key, Random};

use super::super::mfe::tests::{random_model, random_sequence};
use super::super::model::code;
use super::super::{Tables, partners};
use super::*;

/// A model of d1 or d2.
fn any_model(random: &mut Random) -> Model {
    let mut model = random_model(random, 1);
    model.single = random.below(2) == 0;
    model
}

/// The structure of minimum free energy of some model.
fn folded(random: &mut Random, bases: &[u8]) -> Vec<Option<u16>> {
    let (model, mut structure) = (random_model(random, 1), Vec::new());
    Tables::default().fold(&model, bases, &mut structure);
    partners(&structure).unwrap()
}

/// Two structures of one sequence: of two models, or one without some pairs of the other.
fn two_structures(random: &mut Random, bases: &[u8]) -> [Vec<Option<u16>>; 2] {
    let one = folded(random, bases);
    if random.below(2) == 0 {
        return [folded(random, bases), one];
    }
    let mut other = one.clone();
    for i in 0..bases.len() {
        if let Some(j) = other[i].filter(|_| random.below(8) == 0) {
            (other[i], other[usize::from(j)]) = (None, None);
        }
    }
    [other, one]
}

#[test]
fn the_regions_add_up_to_the_difference_of_the_structures() {
    let mut random = Random::new(Key(1));
    let (mut regions, mut apart) = (0, 0);
    for _ in 0..60 {
        let sequence = random_sequence(&mut random, 120);
        let bases: Vec<u8> = sequence.iter().map(|&letter| code(letter)).collect();
        let [wrong, right] = two_structures(&mut random, &sequence);
        let found = Region::all(&wrong, &right, (0, bases.len() as u16 - 1), true);
        let model = any_model(&mut random);
        let difference = model.evaluate(&bases, &wrong) - model.evaluate(&bases, &right);
        let margins: Vec<i32> = found.iter().map(|each| each.margin(&model, &bases)).collect();
        assert_eq!(margins.iter().sum::<i32>(), difference);
        for (region, margin) in found.iter().zip(&margins) {
            assert!(region.fits(bases.len()));
            assert_eq!(exchanged(region, &right, &model, &bases), *margin);
        }
        regions += found.len();
        apart += usize::from(found.len() > 1);
    }
    assert!(regions > 60 && apart > 10, "{regions} {apart}");
}

/// What the target gains in energy if it has the wrong loops of one region.
fn exchanged(region: &Region, target: &[Option<u16>], model: &Model, bases: &[u8]) -> i32 {
    let mut mixed = target.to_vec();
    for (loops, pair_up) in [(&region.right, false), (&region.wrong, true)] {
        let inner = loops.iter().flat_map(|each| &each.inner);
        for &(i, j) in inner {
            mixed[usize::from(i)] = pair_up.then_some(j);
            mixed[usize::from(j)] = pair_up.then_some(i);
        }
    }
    model.evaluate(bases, &mixed) - model.evaluate(bases, target)
}

#[test]
fn a_loop_depends_on_its_positions_alone() {
    let mut random = Random::new(Key(2));
    for _ in 0..30 {
        let sequence = random_sequence(&mut random, 90);
        let mut bases: Vec<u8> = sequence.iter().map(|&letter| code(letter)).collect();
        let [one, other] = two_structures(&mut random, &sequence);
        let model = any_model(&mut random);
        for region in Region::all(&one, &other, (0, bases.len() as u16 - 1), true) {
            for each in region.wrong.iter().chain(&region.right) {
                let (energy, positions) = (each.energy(&model, &bases), each.positions());
                let elsewhere = (0..bases.len()).filter(|&at| !positions.contains(&(at as u16)));
                let changed: Vec<(usize, u8)> = elsewhere.map(|at| (at, bases[at])).collect();
                for &(at, _) in &changed {
                    bases[at] = 1 + random.below(4) as u8;
                }
                assert_eq!(each.energy(&model, &bases), energy);
                changed.iter().for_each(|&(at, base)| bases[at] = base);
            }
        }
    }
}

#[test]
fn misfolds_are_violated() {
    let mut random = Random::new(Key(3));
    let (mut tables, mut structure) = (Tables::default(), Vec::new());
    let (mut solved, mut inside) = (0, 0);
    for _ in 0..60 {
        let sequence = random_sequence(&mut random, 120);
        let target = folded(&mut random, &sequence);
        let model = random_model(&mut random, 1);
        tables.fold(&model, &sequence, &mut structure);
        let bases = tables.bases().to_vec();
        let string = (0, bases.len() as u16 - 1);
        let found = misfolds(&model, &mut tables, &structure, &target, string);
        let misfold = partners(&structure).unwrap();
        assert_eq!(found.is_empty(), misfold == target);
        assert!(found.iter().all(|region| region.margin(&model, &bases) <= 0));
        let whole = Region::all(&misfold, &target, string, true);
        assert_eq!(found[..whole.len()], whole);
        solved += u32::from(found.is_empty());
        inside += u32::from(found.len() > whole.len());
    }
    assert!(inside > 30 && solved < 30, "{inside} {solved}");
}
