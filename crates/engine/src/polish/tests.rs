use super::operators::Change;
use super::pool::Pool;
use crate::random::{Key, Random};

#[test]
fn a_change_brings_an_item_next_to_another_and_can_be_undone() {
    let mut random = Random::new(Key(5));
    let (mut before, mut changes) = (Vec::new(), 0);
    for _ in 0..20_000 {
        let count = 2 + random.below(7);
        let (to, from) = (random.below(count), random.below(count));
        let old: Vec<u32> = (0..count as u32).collect();
        let mut order = old.clone();
        let Some(change) = Change::draw(count, to, from, &mut random) else { continue };
        change.apply(&mut order, &mut before);
        assert_ne!(order, old);
        let place = |item: usize| order.iter().position(|&other| other == item as u32).unwrap();
        if to > 0 {
            assert_eq!(place(to - 1).abs_diff(place(from)), 1, "{to} {from} {change:?}");
        } else {
            assert_eq!(place(from), 0);
        }
        let window = change.window.clone();
        assert_eq!(order[..window.start], old[..window.start]);
        assert_eq!(order[window.end..], old[window.end..]);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, old);
        change.undo(&mut order, &before);
        assert_eq!(order, old);
        changes += 1;
    }
    assert!(changes > 10_000);
}

#[test]
fn a_pool_keeps_the_last_best_optimum() {
    let mut pool = Pool::default();
    pool.waiting = vec![(1.0, vec![1]), (3.0, vec![2]), (3.0, vec![3]), (2.0, vec![4])];
    pool.let_in();
    assert_eq!(pool.best, vec![3]);
    let saved = postcard::to_stdvec(&pool).unwrap();
    assert_eq!(postcard::from_bytes::<Pool>(&saved).unwrap(), pool);
}
