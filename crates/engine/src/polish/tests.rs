use super::pool::Pool;

#[test]
fn a_pool_keeps_the_last_best_optimum() {
    let mut pool = Pool::default();
    pool.waiting = vec![(1.0, vec![1]), (3.0, vec![2]), (3.0, vec![3]), (2.0, vec![4])];
    pool.let_in();
    assert_eq!(pool.best, vec![3]);
    let saved = postcard::to_stdvec(&pool).unwrap();
    assert_eq!(postcard::from_bytes::<Pool>(&saved).unwrap(), pool);
}
