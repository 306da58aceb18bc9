use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::*;
use crate::exposed::listed;

/// Any base: A, C, G and U.
const ANY: u8 = 0b1111;

/// Gives the same answer for every sequence, and counts how often it is asked.
#[derive(Debug)]
struct Fixed {
    structure: &'static str,
    energies: Energies,
    ensemble: Ensemble,
    asked: AtomicU32,
    fails: AtomicBool,
}

impl Fixed {
    fn new(structure: &'static str, minimum: i32, target: i32) -> Self {
        let energies = Energies { minimum, target };
        let ensemble = Ensemble { probability: 0.25, defect: 0.5 };
        Fixed {
            structure,
            energies,
            ensemble,
            asked: AtomicU32::new(0),
            fails: AtomicBool::new(false),
        }
    }
}

impl Folder for Fixed {
    fn fold(&self, sequence: &[u8], structure: &mut Vec<u8>) -> Option<Energies> {
        assert_eq!(sequence.last(), Some(&0));
        assert!(sequence[..sequence.len() - 1].iter().all(|base| b"ACGU".contains(base)));
        self.asked.fetch_add(1, Ordering::Relaxed);
        structure.clear();
        structure.extend_from_slice(self.structure.as_bytes());
        (!self.failed()).then_some(self.energies)
    }

    fn fold_part(&self, _part: &[u8], _structure: &mut Vec<u8>) -> Option<()> {
        None
    }

    fn ensemble(&self, _sequence: &[u8], minimum: i32, _defect: bool) -> Option<Ensemble> {
        assert_eq!(minimum, self.energies.minimum);
        (!self.failed()).then_some(self.ensemble)
    }

    fn failed(&self) -> bool {
        self.fails.load(Ordering::Relaxed)
    }

    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        None
    }
}

/// The places of a target from left to right.
fn from_left(target: &str) -> Vec<u16> {
    (0..).zip(target.bytes()).filter(|&(_, symbol)| symbol != b')').map(|(p, _)| p).collect()
}

fn instance(target: &str, allowed: &[u8], order: &[u16]) -> Instance {
    let (target, allowed, order) = (target.to_owned(), allowed.to_vec(), order.to_vec());
    Instance { target, allowed, order, contexts: None, wishes: Wishes::default() }
}

fn free(target: &str) -> Instance {
    instance(target, &vec![ANY; target.len()], &from_left(target))
}

fn problem(target: &str, folder: Fixed) -> Rna<Fixed> {
    Rna::new(free(target), None, folder).unwrap()
}

fn error(target: &str, allowed: &[u8], order: &[u16]) -> String {
    Rna::new(instance(target, allowed, order), None, Fixed::new("", 0, 0)).unwrap_err()
}

/// Plays moves of these names and returns the state.
fn play(problem: &Rna<Fixed>, moves: &[&str]) -> State {
    let mut state = problem.initial();
    for name in moves {
        let mv = NAMES.iter().position(|known| known == name).unwrap() as u8;
        assert!(listed(problem, &mut state).0.contains(&mv), "{name} is not legal");
        problem.play(&mut state, mv);
    }
    state
}

#[test]
fn the_score_is_nemos() {
    let target = "((...))";
    let score = |structure, minimum, energy| {
        let problem = problem(target, Fixed::new(structure, minimum, energy));
        problem.score(&play(&problem, &["GC", "GC", "A", "A", "A"]))
    };
    assert_eq!(score("((...))", -100, -100), 1.0);
    assert_eq!(score(".......", 0, 0), 0.5 / 1.01);
    assert_eq!(score(".......", 0, 250), 0.5 / (1.01 + 2.5));
    assert_eq!(score("(.....)", -20, -10), 0.75 / (1.01 + 0.1));
    assert_eq!(score(".(...).", -20, -10), 0.75 / (1.01 + 0.1));
    assert_eq!(score(".(..)..", 0, -10), 0.25 / 1.01);
    let crossing = problem("(...)..", Fixed::new("..(..).", 0, 100));
    assert_eq!(crossing.score(&play(&crossing, &["GC", "A", "A", "A", "A", "A"])), 0.0);
    let worse = problem("(....)...", Fixed::new("(.)(.)(.)", 0, 100));
    let worst = worse.score(&play(&worse, &["GC", "A", "A", "A", "A", "A", "A", "A"]));
    assert_eq!(worst, (1.0 - 4.0 / 2.0) * (1.01 + 1.0));
    let unpaired = problem("...", Fixed::new("(.)", 0, 0));
    assert_eq!(unpaired.score(&play(&unpaired, &["A", "A", "A"])), 0.5);
}

#[test]
fn wrong_arguments_are_named() {
    let any = [ANY; 4];
    assert!(error("", &[], &[]).contains("1 to 5000 positions, not 0"));
    assert!(error(&".".repeat(5001), &[], &[]).contains("not 5001"));
    assert!(error("(..", &any[..3], &[0]).contains("position 0 is never closed"));
    assert!(error("..)", &any[..3], &[0]).contains("nothing is open at position 2"));
    assert!(error("[..]", &any, &[0]).contains("position 0 must be"));
    assert!(error("(..)", &any[..3], &[0]).contains("4 positions need 4 constraints, not 3"));
    assert!(error("(..)", &any, &[0, 1]).contains("position 2 is not decided"));
    assert!(error("(..)", &any, &[0, 1, 1]).contains("position 1 is decided twice"));
    assert!(error("(..)", &any, &[3, 1, 2]).contains("position 3 closes a pair"));
    assert!(error("(..)", &any, &[7]).contains("no position 7"));
    assert!(error("(..)", &[1, 15, 15, 1], &[0, 1, 2]).contains("no bases for position 0"));
    assert!(error("..", &[15, 0], &[0, 1]).contains("no bases for position 1"));
}

#[test]
fn a_sequence_is_folded_once() {
    let problem = problem("(...)", Fixed::new(".....", -10, 30));
    let state = play(&problem, &["GC", "A", "A", "A"]);
    let score = problem.score(&state);
    assert_eq!(problem.score(&state), score);
    assert_eq!(problem.folder.asked.load(Ordering::Relaxed), 1);
    problem.score(&play(&problem, &["GC", "A", "A", "C"]));
    assert_eq!(problem.folder.asked.load(Ordering::Relaxed), 2);
}

#[test]
fn a_failure_reaches_the_engine_and_is_not_kept() {
    let problem = problem("(...)", Fixed::new("(...)", 0, 0));
    let state = play(&problem, &["GC", "A", "A", "A"]);
    problem.folder.fails.store(true, Ordering::Relaxed);
    assert_eq!(problem.score(&state), f64::NEG_INFINITY);
    assert!(problem.failed());
    problem.folder.fails.store(false, Ordering::Relaxed);
    assert_eq!(problem.score(&state), 1.0);
}

/// Rows of different betas: row + move / 100.
fn rows(count: usize) -> Vec<[f64; MOVES]> {
    (0..count).map(|row| std::array::from_fn(|mv| row as f64 + mv as f64 / 100.0)).collect()
}

fn biased(betas: Vec<[f64; MOVES]>, rules: Option<Vec<Rule>>) -> Result<Rna<Fixed>, String> {
    let contexts = Some(Contexts { betas, rules });
    Rna::new(Instance { contexts, ..free("(...)") }, None, Fixed::new("", 0, 0))
}

fn case(first: u16, second: u16, row: u16) -> Case {
    Case { first, second, bases: ['G', 'C'], row }
}

#[test]
fn biases_follow_the_previous_move() {
    let problem = biased(rows(11), None).unwrap();
    assert_eq!(problem.bias(), Bias::PerMove);
    assert_eq!(listed(&problem, &mut problem.initial()).2, [0.0, 0.01, 0.02, 0.03, 0.04, 0.05]);
    let mut state = play(&problem, &["GC", "U"]);
    assert_eq!(listed(&problem, &mut state).2, [10.06, 10.07, 10.08, 10.09]);
}

#[test]
fn biases_follow_the_bases_decided() {
    let rules = vec![
        Rule { by_base: Some((2, 0)), otherwise: 3, ..Rule::default() },
        Rule { cases: vec![case(0, 4, 1)], otherwise: 2, ..Rule::default() },
        Rule { cases: vec![case(0, 4, 1)], by_base: Some((1, 2)), otherwise: 0 },
        Rule::default(),
    ];
    let problem = biased(rows(6), Some(rules)).unwrap();
    let first = |moves: &[&str]| listed(&problem, &mut play(&problem, moves)).2[0];
    assert_eq!(first(&[]), 3.0);
    assert_eq!(first(&["GC"]), 1.06);
    assert_eq!(first(&["GU"]), 2.06);
    assert_eq!(first(&["GC", "U"]), 1.06);
    assert_eq!(first(&["CG", "U"]), 5.06);
}

#[test]
fn wrong_biases_are_refused() {
    assert!(biased(rows(10), None).is_err());
    assert!(biased(vec![[f64::NAN; MOVES]; 11], None).is_err());
    assert!(biased(vec![[701.0; MOVES]; 11], None).is_err());
    assert!(biased(rows(4), Some(vec![Rule::default(); 3])).is_err());
    let refused = |rule: Rule| biased(rows(4), Some(vec![rule; 4])).is_err();
    assert!(!refused(Rule { cases: vec![case(0, 4, 3)], by_base: Some((4, 0)), otherwise: 3 }));
    assert!(refused(Rule { otherwise: 4, ..Rule::default() }));
    assert!(refused(Rule { by_base: Some((4, 1)), ..Rule::default() }));
    assert!(refused(Rule { by_base: Some((5, 0)), ..Rule::default() }));
    assert!(refused(Rule { cases: vec![case(0, 5, 3)], ..Rule::default() }));
    assert!(refused(Rule { cases: vec![case(0, 4, 4)], ..Rule::default() }));
}

#[test]
fn wishes_that_are_missed_cost_score() {
    let wishes = |gc, avoid: &[&str]| {
        let avoid = avoid.iter().map(|&motif| motif.to_owned()).collect();
        let instance =
            Instance { wishes: Wishes { gc, avoid, ..Wishes::default() }, ..free("(...)") };
        Rna::new(instance, None, Fixed::new("(...)", 0, 0))
    };
    let score = |gc, avoid: &[&str], moves: &[&str]| {
        let problem = wishes(gc, avoid).unwrap();
        problem.score(&play(&problem, moves))
    };
    assert_eq!(score(Some((2, 3)), &["AAAA"], &["GC", "A", "A", "A"]), 1.0);
    assert_eq!(score(Some((3, 5)), &[], &["GC", "A", "A", "A"]), 1.0 - 1.0 / 5.0);
    assert_eq!(score(Some((0, 3)), &[], &["GC", "G", "C", "C"]), 1.0 - 2.0 / 5.0);
    assert_eq!(score(None, &["AA", "GA"], &["GC", "A", "A", "A"]), 1.0 - 3.0 / 5.0);
    assert!(wishes(None, &[""]).is_err());
}

#[test]
fn an_ensemble_counts_if_the_sequence_folds_right() {
    let score = |structure, gc, min_probability, max_defect| {
        let wishes = Wishes { gc, min_probability, max_defect, ..Wishes::default() };
        let instance = Instance { wishes, ..free("(...)") };
        let problem = Rna::new(instance, None, Fixed::new(structure, 0, 0)).unwrap();
        problem.score(&play(&problem, &["GC", "A", "A", "A"]))
    };
    let right = |least, most| score("(...)", None, least, most);
    assert_eq!(right(Some(0.25), None), 1.0);
    assert_eq!(right(None, Some(0.5)), 1.0);
    assert_eq!(right(Some(0.0), Some(1.0)), 1.0);
    assert_eq!(right(Some(0.5), None), 1.0 - (1.0 + 0.5 / 2.0) / 2.0 / 5.0);
    assert_eq!(right(None, Some(0.0)), 1.0 - (1.0 + 0.5 / 2.0) / 2.0 / 5.0);
    assert_eq!(right(Some(0.5), Some(0.0)), 1.0 - (1.0 + 1.0 / 2.0) / 2.0 / 5.0);
    assert_eq!(score("(...)", Some((3, 5)), Some(0.5), None), 1.0 - 2.0 / 5.0);
    assert_eq!(score(".....", None, Some(0.5), None), 0.5 / 1.01);
}

#[test]
fn an_ensemble_out_of_range_is_as_bad_as_can_be() {
    let wishes = Wishes { min_probability: Some(0.5), ..Wishes::default() };
    let ensemble = Ensemble { probability: f64::NAN, defect: f64::NAN };
    assert_eq!(wishes.short(ensemble), 0.75);
    let wishes = Wishes { max_defect: Some(0.5), ..Wishes::default() };
    assert_eq!(wishes.short(ensemble), 0.75);
}

#[test]
fn a_move_that_no_problem_has_can_be_shown() {
    let problem = problem("(...)", Fixed::new("(...)", 0, 0));
    let _ = problem.shown(250);
}
